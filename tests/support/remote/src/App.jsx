import { useState } from "react";
import { flushSync } from "react-dom";

import "./app.css";
import image from "./offer.png";

export default function App() {
  const [count, setCount] = useState(0);
  return (
    <div className="offers">
      <h1>Offers</h1>
      <img src={image} alt="An offer" />
      <button onClick={() => flushSync(() => setCount(count + 1))}>Ordered {count}</button>
    </div>
  );
}
