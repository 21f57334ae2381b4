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
