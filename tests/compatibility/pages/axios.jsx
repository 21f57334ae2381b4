import { useState } from "react";

export default function Page() {
  const [text, setText] = useState("");
  const load = async () => {
    const { default: axios } = await import("axios");
    const { data } = await axios.get("/robots.txt");
    setText(data);
  };
  return (
    <>
      <button onClick={load}>Load</button>
      <pre>{text}</pre>
    </>
  );
}
