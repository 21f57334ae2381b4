import "./tailwind.css";

import { useState } from "react";

export default function Page() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button className="rounded-full bg-[rgb(1,2,3)] px-4 text-white hover:underline" onClick={() => setOpen(!open)}>
        Toggle
      </button>
      <p className={open ? "grid animate-pulse" : "hidden"}>Details</p>
    </>
  );
}
