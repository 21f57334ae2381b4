import { useState } from "react";
import Markdown from "react-markdown";

export default function Page() {
  const [text, setText] = useState("Some **bold** text");
  return (
    <>
      <textarea aria-label="Text" value={text} onChange={(event) => setText(event.target.value)} />
      <Markdown>{text}</Markdown>
    </>
  );
}
