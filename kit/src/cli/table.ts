/** What stands where there is nothing. */
export const NONE = "-";

/** Rows of text in aligned columns. */
export function columns(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(oneLine));
  const count = Math.max(0, ...cells.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) => Math.max(...cells.map((row) => row[index]?.length ?? 0)));
  return cells
    .map((row) =>
      row
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

// A reason may have lines; a cell has one. What stands before a line's text is kept.
function oneLine(cell: string): string {
  return cell.replace(/\s*[\r\n]\s*/g, " ").trimEnd();
}

/** An instant of the gateway's (RFC 3339) as people read it, to the minute. */
export function instant(time: string): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

/** A bar of words joined as one writes them: `a, b and c`. */
export function list(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
