import { definePage, Link } from "@colonnade/kit";
import { useEffect, useState } from "react";

import { add } from "./add";
import "./tailwind.css";

function Sums() {
  const [sums, setSums] = useState("");
  useEffect(() => {
    const worker = new Worker(new URL("./worker.js", import.meta.url));
    worker.onmessage = async ({ data }) => setSums(`page ${await add(2, 3)}, worker ${data}`);
    worker.postMessage([40, 2]);
    return () => worker.terminate();
  }, []);
  return <output>{sums}</output>;
}

export const page = definePage({
  data: () => null,
  paths: () => ["/packages"],
  head: () => ({ title: "Packages", description: "Ordinary packages.", canonical: "/packages", robots: "noindex" }),
  Component: () => (
    <>
      <h1 className="page animate-spin p-[7px] text-[rgb(1,2,3)] shadow-md hover:underline">Packages</h1>
      <Sums />
      <Link to="/terms">Terms</Link>
    </>
  ),
});
