import { stat } from "node:fs/promises";

/** Returns whether a path is that of a file. */
export async function isFile(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}
