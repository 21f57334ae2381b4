import { Bar, BarChart, ResponsiveContainer } from "recharts";

const DATA = [{ count: 1 }, { count: 2 }];

/** A chart as wide as its parent. */
export default function Chart() {
  return (
    <ResponsiveContainer height={100}>
      <BarChart data={DATA}>
        <Bar dataKey="count" isAnimationActive={false} />
      </BarChart>
    </ResponsiveContainer>
  );
}
