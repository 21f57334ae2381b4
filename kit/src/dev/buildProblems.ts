import webpack, { type WebpackError } from "webpack";

import { formatPosition } from "../check/positions.js";
import { locateInSource } from "../check/sources.js";
import type { DevelopmentProblem } from "./problem.js";
import type { WatchBuild } from "./watch.js";

const LOADER_PREFIX = /^Module (build|parse) failed[^\n]*\n(\w*Error: *)?/;
// The column in swc's message is always 1. The mark in its code frame is at the correct column.
const SWC_FRAME = /^\s*x (.+)\n\s*,-\[.*:(\d+):\d+\]\n(?:.*\n)*?\s*:( *)\^/;
// CSS and Sass compilers write `(line:column)`.
const STYLE_POSITION = /\((\d+):(\d+)\)/;

/** Returns the errors of a watch build. */
export function buildProblems(folder: string, section: string, { error, stats }: WatchBuild): DevelopmentProblem[] {
  const errors: readonly Error[] = stats?.compilation.errors ?? [];
  return [...(error ? [error] : []), ...errors].map((buildError) => {
    const { message, location } = describe(folder, buildError);
    return { kind: "syntax", section, message, ...(location !== undefined && { location }) };
  });
}

function describe(folder: string, error: Error): { message: string; location?: string | undefined } {
  const [text = ""] = error.message.replace(LOADER_PREFIX, "").split(/\n\nCaused by:|\n +at /);
  const message = text.trim();
  const { module, loc } = error as Partial<Pick<WebpackError, "module" | "loc">>;
  if (!(module instanceof webpack.NormalModule)) return { message };
  const [, reason, row, column = ""] = SWC_FRAME.exec(text) ?? [];
  if (reason !== undefined)
    return { message: reason, location: formatPosition(folder, module.resource, Number(row), column.length) };
  const [, styleRow, styleColumn] = STYLE_POSITION.exec(text) ?? [];
  if (styleRow !== undefined)
    return { message, location: formatPosition(folder, module.resource, Number(styleRow), Number(styleColumn)) };
  const start = (loc as { start?: { line: number; column?: number } } | undefined)?.start;
  return {
    message,
    location: start && locateInSource(folder, module, { line: start.line, column: start.column ?? 0 }),
  };
}
