import { addDays, format, parseISO } from "date-fns";
import { useState } from "react";

export default function Page() {
  const [days, setDays] = useState(0);
  const day = addDays(parseISO("2026-03-01"), days);
  return <button onClick={() => setDays(days + 1)}>{format(day, "d MMMM yyyy")}</button>;
}
