import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

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
 */
export async function runCompiler(
  compiler: string,
  folder: string,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const options = { cwd: folder, maxBuffer: Infinity, ...(signal && { signal }) };
  const printed = await new Promise<string>((resolve) => {
    execFile(process.execPath, [compiler, ...args, "--pretty", "false"], options, (_, out) => {
      resolve(out);
    });
  });
  return printed.trim().split(/\r?\n/);
}
