import { axisBottom, line, scaleLinear, select } from "d3";
import { useEffect, useRef, useState } from "react";

const DATA = [4, 7, 1];

export default function Page() {
  const axis = useRef(null);
  const [max, setMax] = useState(10);
  const x = scaleLinear([0, DATA.length - 1], [0, 300]);
  const y = scaleLinear([0, max], [200, 0]);
  useEffect(() => {
    select(axis.current).call(axisBottom(scaleLinear([0, DATA.length - 1], [0, 300])));
  }, []);
  return (
    <>
      <svg width={300} height={220}>
        <path fill="none" stroke="currentColor" d={line((_, index) => x(index), y)(DATA)} />
        <g ref={axis} transform="translate(0, 200)" />
      </svg>
      <button onClick={() => setMax(20)}>Zoom</button>
    </>
  );
}
