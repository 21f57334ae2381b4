import { readFile } from "node:fs/promises";
import path from "node:path";

import { parsePosition } from "../check/positions.js";

/** A problem of a section, as the terminal shows it. */
export interface SectionProblem {
  /** Its category. */
  readonly kind: string;
  /** Name of the section. */
  readonly section: string;
  readonly message: string;
  /** What to do instead. */
  readonly help?: string;
  /** The code of the rule in docs/errors.md. */
  readonly code?: string;
  /** `src/pages/lab.tsx:12:8`, relative to the package. Without line and column if these are unknown. */
  readonly location?: string;
  /** The lines around the location. */
  readonly frame?: string;
  /** The elements that differ between the server and the browser. */
  readonly diff?: string;
}

const LINES_AROUND = 2;

/** Adds the lines of the source around a problem's location. */
export async function withFrame<P extends SectionProblem>(folder: string, problem: P): Promise<P> {
  const position = parsePosition(problem.location);
  if (!position) return problem;
  const { file, line, column } = position;
  const text = await readFile(path.join(folder, file), "utf8").catch(() => undefined);
  return text === undefined ? problem : { ...problem, frame: frameOf(text, line, column) };
}

/** The lines around a position, with a mark below it. Line and column start at 1. */
export function frameOf(text: string, row: number, column: number): string {
  const first = Math.max(1, row - LINES_AROUND);
  const lines = text.split(/\r?\n/).slice(first - 1, row + LINES_AROUND);
  const width = String(first + lines.length - 1).length;
  return lines
    .flatMap((line, index) => {
      const number = first + index;
      const gutter = `${number === row ? ">" : " "} ${String(number).padStart(width)} | `;
      const mark = `${" ".repeat(width + 2)} | ${line.slice(0, column - 1).replaceAll(/[^\t]/g, " ")}^`;
      return number === row ? [gutter + line, mark] : [gutter + line];
    })
    .join("\n");
}

/** Formats a problem for the terminal. `guide` is the URL of the page that explains the codes. */
export function formatProblem(problem: SectionProblem, guide?: string): string {
  const { kind, section, message, help, code, location, frame, diff } = problem;
  return [
    `${section}: ${kind} error${location === undefined ? "" : ` at ${location}`}`,
    `${code === undefined ? "" : `${code} `}${message}`,
    ...(frame === undefined ? [] : [frame]),
    ...(diff === undefined ? [] : [diff]),
    ...(help === undefined ? [] : [help]),
    ...(code === undefined || guide === undefined ? [] : [`About ${code}: ${guide}#${code}`]),
  ].join("\n");
}
