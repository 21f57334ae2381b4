import { BarElement, CategoryScale, Chart, LinearScale } from "chart.js";
import { useState } from "react";
import { Bar } from "react-chartjs-2";

Chart.register(BarElement, CategoryScale, LinearScale);

export default function Page() {
  const [chosen, setChosen] = useState("None");
  const data = { labels: ["May", "June"], datasets: [{ label: "Sold", data: [4, 7] }] };
  const onClick = (_, [element]) => setChosen(data.labels[element?.index] ?? "None");
  return (
    <>
      <Bar
        aria-label="Sold fruit"
        data={data}
        options={{ animation: false, responsive: false, onClick }}
        width={300}
        height={200}
      />
      <output>{chosen}</output>
    </>
  );
}
