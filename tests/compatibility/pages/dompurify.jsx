import DOMPurify from "dompurify";
import { useState } from "react";

const TEXT = "Some <b>bold</b> text<object data=/x></object>";

export default function Page() {
  const [html, setHtml] = useState("");
  return (
    <>
      <button onClick={() => setHtml(DOMPurify.sanitize(TEXT))}>Show</button>
      <p dangerouslySetInnerHTML={{ __html: html }} />
    </>
  );
}
