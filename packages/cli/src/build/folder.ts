import { readFile } from "node:fs/promises";
import path from "node:path";

import { tsconfigFiles } from "./tsconfig.js";
import { UsageError } from "./usageError.js";
import { inputsBelow } from "./version.js";

/** Installed packages and the caches of tools. */
const UNCHECKED = /(^|[\\/])(node_modules|\.[^\\/]*)[\\/]/;
const MARK = "\uFEFF";

/**
 * Checks what the tools of a build cannot read: paths with characters that webpack reserves, and JSON files with a byte order
 * mark. Other files may have one.
 *
 * @throws UsageError with the file or folder.
 */
export async function checkFolder(folder: string): Promise<void> {
  checkPath(folder);
  // The build reports a folder that cannot be read.
  const files = await inputsBelow(folder).catch(() => []);
  for (const file of files) if (!UNCHECKED.test(file)) checkPath(path.join(folder, file));
  for (const file of [
    path.join(folder, "package.json"),
    path.join(folder, "postcss.config.json"),
    ...tsconfigFiles(folder),
  ])
    rejectMark(file, await readFile(file, "utf8").catch(() => ""));
}

/**
 * Checks the path of a section, or of a file in it.
 *
 * @throws UsageError if webpack reserves one of its characters.
 */
export function checkPath(file: string): void {
  const [character] = /[!?]/.exec(file) ?? [];
  if (character !== undefined)
    throw new UsageError(`${file} contains "${character}", which webpack reserves; use a path without "!" and "?"`);
}

/**
 * Checks the text of a JSON file.
 *
 * @throws UsageError if it begins with a byte order mark, which RFC 8259, section 8.1 forbids.
 */
export function rejectMark(file: string, text: string): void {
  if (text.startsWith(MARK))
    throw new UsageError(`${file} begins with a byte order mark, which JSON forbids; save it as UTF-8 without one`);
}
