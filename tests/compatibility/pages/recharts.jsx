import { Bar, BarChart, Tooltip, XAxis } from "recharts";

const DATA = [
  { name: "May", sold: 4 },
  { name: "June", sold: 7 },
];

export default () => (
  <BarChart width={300} height={200} data={DATA}>
    <XAxis dataKey="name" />
    <Tooltip />
    <Bar dataKey="sold" isAnimationActive={false} />
  </BarChart>
);
