// Formats without Intl: gateway and browser must agree, and the output of Intl depends on the machine.

const DAY = 24 * 60 * 60 * 1000;
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** `Tuesday, November 24`. */
export function formatDay(date: string): string {
  const day = new Date(date);
  return `${WEEKDAYS[day.getUTCDay()] ?? ""}, ${MONTHS[day.getUTCMonth()] ?? ""} ${String(day.getUTCDate())}`;
}

/** `Today` or `Tomorrow`, relative to a day. Null for other days. */
export function relativeDay(date: string, today: string): string | null {
  return ["Today", "Tomorrow"][(Date.parse(date) - Date.parse(today)) / DAY] ?? null;
}

/** `7:30 PM` for `19:30`. */
export function formatTime(time: string): string {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return `${String(hours % 12 || 12)}:${String(minutes).padStart(2, "0")} ${hours < 12 ? "AM" : "PM"}`;
}

/** Groups events by date, and keeps their order. */
export function byDate<Event extends { readonly date: string }>(
  events: readonly Event[],
): readonly { readonly date: string; readonly events: readonly Event[] }[] {
  const dates = [...new Set(events.map(({ date }) => date))];
  return dates.map((date) => ({ date, events: events.filter((event) => event.date === date) }));
}
