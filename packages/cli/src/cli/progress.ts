import type { Output } from "./context.js";

/** A progress line on the terminal. */
interface Progress {
  /** Erases the line. */
  readonly clear: () => void;
}

/** The progress line of an upload. */
interface UploadProgress extends Progress {
  readonly update: (sentBytes: number, totalBytes: number) => void;
}

/** The progress line of work in several steps. */
interface StepProgress extends Progress {
  /** Shows a step, and the seconds since it began. */
  readonly start: (step: string) => void;
}

/** Creates the progress line of an upload. It writes nothing if `stderr` is not a terminal. */
export function uploadProgress(stderr: Output): UploadProgress {
  const draw = progressLine(stderr);
  return {
    update: (sent, total) => {
      draw(`sent ${kibibytes(sent)} of ${kibibytes(total)} KiB (${String(Math.floor((sent / total) * 100))}%)`);
    },
    clear: () => {
      draw("");
    },
  };
}

/** Creates the progress line of work in several steps. It writes nothing if `stderr` is not a terminal. */
export function stepProgress(stderr: Output): StepProgress {
  const draw = progressLine(stderr);
  let timer: NodeJS.Timeout | undefined;
  return {
    start: (step) => {
      clearInterval(timer);
      const startedAt = performance.now();
      const drawStep = (): void => {
        draw(`${step} ${String(Math.floor((performance.now() - startedAt) / 1000))} s`);
      };
      drawStep();
      timer = setInterval(drawStep, 1000);
    },
    clear: () => {
      clearInterval(timer);
      draw("");
    },
  };
}

function progressLine(stderr: Output): (line: string) => void {
  let current = "";
  return (line) => {
    if (!stderr.isTTY || line === current) return;
    current = line;
    // Carriage return, the text, then erase to the end of the line.
    stderr.write(`\r${line}\x1b[K`);
  };
}

function kibibytes(bytes: number): string {
  return String(Math.ceil(bytes / 1024));
}
