/** Formats a whole number for the US, regardless of the browser's language. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ",");
}
