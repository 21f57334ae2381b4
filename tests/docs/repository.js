import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

/** The folder of the repository. */
export const ROOT = path.resolve(import.meta.dirname, "../..");

// Untracked files count as well, so that a new file fails, or is found, before it is committed.
const listed = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "--deduplicate", "-z"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: 64 * 1024 * 1024,
});

/** The files of the repository, without those that were deleted but not yet committed. */
export const FILES = listed.split("\0").filter((file) => file !== "" && existsSync(path.join(ROOT, file)));

/**
 * Reads a file of the repository.
 *
 * @param {string} file
 */
export function read(file) {
  return readFileSync(path.join(ROOT, file), "utf8");
}
