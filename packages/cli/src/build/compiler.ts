import { execFile, type ExecFileException } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { UsageError } from "./usageError.js";

const ERROR = /error TS\d+:/;
// What is shown of the text of a crash, in UTF-16 code units.
const MAX_TEXT = 2000;

/** The program `tsc` of the TypeScript that a package has installed. Undefined without one. */
export function findCompiler(folder: string): string | undefined {
  try {
    const file = createRequire(path.join(folder, "package.json")).resolve("typescript/package.json");
    const { bin } = JSON.parse(readFileSync(file, "utf8")) as { bin: { tsc: string } };
    return path.join(path.dirname(file), bin.tsc);
  } catch {
    return undefined;
  }
}

/**
 * Runs the program of {@link findCompiler} in the folder of its package. Returns the lines that it prints, also if it finds
 * errors. `signal` ends it.
 *
 * @throws UsageError if the program ends with neither success nor errors of types, as when it crashes.
 */
export async function runCompiler(
  compiler: string,
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const options = { cwd: folder, maxBuffer: Infinity, ...(signal && { signal }) };
  const printed = await new Promise<string>((resolve, reject) => {
    execFile(process.execPath, [compiler, ...args, "--pretty", "false"], options, (error, out, err) => {
      const hasErrors = typeof error?.code === "number" && ERROR.test(out);
      if (!error || hasErrors || signal?.aborted === true) resolve(out);
      else
        reject(
          new UsageError(`${compiler} failed (${describe(error)}):\n${(err.trim() || out.trim()).slice(-MAX_TEXT)}`),
        );
    });
  });
  return printed.trim().split(/\r?\n/);
}

function describe({ code, signal }: ExecFileException): string {
  return signal ? `signal ${signal}` : `exit code ${String(code)}`;
}
