import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

// Vite's template has the options of the browser's code in tsconfig.app.json.
const NAMES = ["tsconfig.app.json", "tsconfig.json"];

/**
 * Returns the file whose `paths` and `baseUrl` imports may use: the first one in the package that is complete. With a file
 * that extends a missing one, webpack would resolve no import at all, but the file may be only for an editor.
 */
export function tsconfigOf(folder: string): string | undefined {
  return NAMES.map((name) => path.join(folder, name)).find((file) => isComplete(file, new Set()));
}

/** Returns the file of {@link tsconfigOf} and the files that it extends. */
export function tsconfigFiles(folder: string): string[] {
  const file = tsconfigOf(folder);
  if (file === undefined) return [];
  const visited = new Set<string>();
  isComplete(file, visited);
  return [...visited];
}

function isComplete(file: string, visited: Set<string>): boolean {
  if (!isFile(file)) return false;
  if (visited.has(file)) return true;
  visited.add(file);
  const [, list = ""] = /"extends"\s*:\s*(\[[^\]]*\]|"[^"]*")/.exec(readFileSync(file, "utf8")) ?? [];
  return [...list.matchAll(/"([^"]+)"/g)].every(([, base = ""]) => {
    const extended = extendedFile(file, base);
    return extended !== undefined && isComplete(extended, visited);
  });
}

function extendedFile(file: string, base: string): string | undefined {
  if (base.startsWith(".") || path.isAbsolute(base)) {
    const target = path.resolve(path.dirname(file), base);
    return [target, `${target}.json`, path.join(target, "tsconfig.json")].find(isFile);
  }
  const require = createRequire(file);
  for (const specifier of [base, `${base}.json`, `${base}/tsconfig.json`]) {
    try {
      return require.resolve(specifier);
    } catch {
      // Try the next form.
    }
  }
  return undefined;
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
