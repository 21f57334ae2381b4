import type { Writable } from "node:stream";

/** A line that is drawn over itself. */
export interface Progress {
  /** Says how much has been sent. */
  readonly show: (sent: number, total: number) => void;
  /** Leaves the line empty. */
  readonly clear: () => void;
}

/** Shows how much of an upload has left, where there is a terminal to show it on. */
export function showProgress(screen: Writable & { readonly isTTY?: boolean }): Progress {
  let shown = "";
  const draw = (line: string): void => {
    if (!screen.isTTY || line === shown) return;
    shown = line;
    // Back to the line's start; what was longer is erased.
    screen.write(`\r${line}\x1b[K`);
  };
  return {
    show: (sent, total) => {
      draw(`sent ${kibibytes(sent)} of ${kibibytes(total)} KiB (${String(Math.floor((sent / total) * 100))}%)`);
    },
    clear: () => {
      draw("");
    },
  };
}

function kibibytes(bytes: number): string {
  return String(Math.ceil(bytes / 1024));
}
