import { Group } from "@visx/group";
import { scaleBand, scaleLinear } from "@visx/scale";
import { Bar } from "@visx/shape";
import { useState } from "react";

const DATA = [
  ["May", 4],
  ["June", 7],
];
const x = scaleBand({ domain: DATA.map(([name]) => name), range: [0, 300], padding: 0.1 });
const y = scaleLinear({ domain: [0, 10], range: [0, 200] });

export default function Page() {
  const [chosen, setChosen] = useState("None");
  return (
    <>
      <svg width={300} height={200}>
        <Group>
          {DATA.map(([name, sold]) => (
            <Bar
              key={name}
              aria-label={name}
              role="button"
              x={x(name)}
              y={200 - y(sold)}
              width={x.bandwidth()}
              height={y(sold)}
              onClick={() => setChosen(name)}
            />
          ))}
        </Group>
      </svg>
      <output>{chosen}</output>
    </>
  );
}
