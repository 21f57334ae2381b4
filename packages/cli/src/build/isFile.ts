import { stat } from "node:fs/promises";
import path from "node:path";

import { UsageError } from "./usageError.js";

/** Returns whether a path is that of a file. */
export async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

/**
 * Checks that the value of a key is the path of a file, relative to `folder`. `file` is the configuration's path.
 *
 * @throws UsageError if it is not.
 */
export async function checkFile(
  file: string,
  folder: string,
  key: string,
  value: unknown,
  expected: string,
): Promise<void> {
  const found = typeof value === "string" ? await stat(path.join(folder, value)).catch(() => null) : undefined;
  if (found?.isFile()) return;
  const problem = found === undefined ? "" : `, which ${found ? "is no file" : "does not exist"}`;
  throw new UsageError(`${file}: ${key} is ${JSON.stringify(value)}${problem}; expected ${expected}`);
}
