import ky from "ky";
import { useState } from "react";

export default function Page() {
  const [text, setText] = useState("");
  const load = async () => setText(await ky("/robots.txt").text());
  return (
    <>
      <button onClick={load}>Load</button>
      <pre>{text}</pre>
    </>
  );
}
