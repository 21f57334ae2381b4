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
 * A date in words: `2026-01-31` is January 31, 2026. Written out by hand, since formatting by locale could
 * differ between server and browser.
 *
 * @throws Error when the text is no date of that form.
 */
export function inWords(date: string): string {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (!year || !name || Number(day) < 1 || Number(day) > 31)
    throw new Error(`"${date}" is no date; expected YYYY-MM-DD`);
  return `${name} ${String(Number(day))}, ${year}`;
}
