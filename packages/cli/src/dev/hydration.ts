/** What the overlay shows of React's message about a failed hydration. */
interface HydrationMessage {
  /** What failed. */
  readonly message: string;
  readonly help: string;
  /** The elements that differ. Absent if the message names none. */
  readonly diff?: string;
}

const HELP =
  "Render the same on the server and in the browser: read browser state, random values and the clock in an effect. " +
  "Lines with + are from the browser, lines with - from the server.";
const LINES_BEFORE = 2;

/**
 * Shortens React's message: its list of possible causes and the elements of the shell hide the ones that differ. The
 * message ends with a tree of elements, in which + and - mark the differences.
 */
export function shortenHydrationMessage(text: string): HydrationMessage {
  const [message = text] = /^.*?\.(?=\s|$)/s.exec(text) ?? [];
  const lines = text.split("\n");
  const isMarked = (line: string): boolean => /^[+-] /.test(line);
  // The list of causes uses the same mark, but without indentation.
  const tree = lines.slice(lines.findIndex((line) => line.startsWith("https://react.dev/")) + 1);
  const first = tree.findIndex(isMarked);
  if (first === -1) return { message, help: HELP };
  const shown = tree.slice(Math.max(0, first - LINES_BEFORE), tree.findLastIndex(isMarked) + 1);
  const indentation = Math.min(...shown.map((line) => line.slice(1).search(/\S|$/)));
  return {
    message,
    help: HELP,
    diff: shown.map((line) => `${line.charAt(0)} ${line.slice(indentation + 1)}`).join("\n"),
  };
}
