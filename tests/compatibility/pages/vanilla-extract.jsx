import { useState } from "react";

import { box, painted } from "./vanilla-extract.css.js";

export default function Page() {
  const [on, setOn] = useState(false);
  return (
    <>
      <p className={on ? painted : box}>A box</p>
      <button onClick={() => setOn(true)}>Paint</button>
    </>
  );
}
