const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/**
 * Formats a date: `2026-01-31` is January 31, 2026. Does not use Intl, whose output could differ between server and
 * browser.
 *
 * @throws Error if the string is not a date in this format.
 */
export function formatDate(date: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (!year || !name || Number(day) < 1 || Number(day) > 31)
    throw new Error(`"${date}" is not a date; expected YYYY-MM-DD`);
  return `${name} ${String(Number(day))}, ${year}`;
}
