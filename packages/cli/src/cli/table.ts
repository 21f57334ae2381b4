/** Placeholder for a missing value. */
export const EMPTY_CELL = "-";

/** Formats rows of equal length as aligned columns. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(toSingleLine));
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

// A reason may contain line breaks.
function toSingleLine(cell: string): string {
  return cell.replace(/\s*[\r\n]\s*/g, " ").trimEnd();
}

/** Formats an RFC 3339 time to the minute. */
export function formatTime(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
] as const;

/** Formats an RFC 3339 time relative to now, such as `2 hours ago`. */
export function formatAge(time: string, now = Date.now()): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(time)) / 1000));
  if (Number.isNaN(seconds)) return time;
  const [unit, length] = UNITS.find(([, length]) => seconds >= length) ?? ["second", 1];
  return new Intl.RelativeTimeFormat("en").format(-Math.floor(seconds / length), unit);
}
