import { DateTime } from "luxon";
import { useState } from "react";

export default function Page() {
  const [days, setDays] = useState(0);
  return (
    <button onClick={() => setDays(days + 1)}>
      {DateTime.fromISO("2026-03-01", { zone: "utc" }).plus({ days }).toFormat("d MMMM yyyy")}
    </button>
  );
}
