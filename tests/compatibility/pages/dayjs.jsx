import dayjs from "dayjs";
import { useState } from "react";

export default function Page() {
  const [days, setDays] = useState(0);
  const day = dayjs("2026-03-01").add(days, "day");
  return <button onClick={() => setDays(days + 1)}>{day.format("D MMMM YYYY")}</button>;
}
