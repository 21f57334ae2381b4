import type { Writable } from "node:stream";

/** A progress line on the terminal. */
export interface UploadProgress {
  readonly update: (sentBytes: number, totalBytes: number) => void;
  /** Erases the line. */
  readonly clear: () => void;
}

/** Creates the progress line of an upload. It writes nothing if `stderr` is not a terminal. */
export function uploadProgress(stderr: Writable & { readonly isTTY?: boolean }): UploadProgress {
  let current = "";
  const draw = (line: string): void => {
    if (!stderr.isTTY || line === current) return;
    current = line;
    // Carriage return, the text, then erase to the end of the line.
    stderr.write(`\r${line}\x1b[K`);
  };
  return {
    update: (sent, total) => {
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
