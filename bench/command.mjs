// Runs a command in the repository.
import { execFile, spawnSync } from "node:child_process";
import { promisify } from "node:util";

import { ROOT } from "../tests/support/repository.mjs";

/** Returns the standard output of a command that must succeed. @param {string[]} command @returns {Promise<string>} */
export async function run([program = "", ...parameters]) {
  const { stdout } = await promisify(execFile)(program, parameters, { cwd: ROOT, maxBuffer: 1 << 30 });
  return stdout;
}

/** Returns the first line that a command prints, even if it fails, as `wrk -v` does. @param {string[]} command */
export function firstLine([program = "", ...parameters]) {
  const { stdout, stderr } = spawnSync(program, parameters, { cwd: ROOT, encoding: "utf8" });
  return (stdout || stderr)?.split("\n")[0]?.trim();
}

/** Quotes a command for a shell. @param {string[]} command */
export function quote(command) {
  return command.map((word) => (/^[\w./:=+$-]+$/.test(word) ? word : `'${word}'`)).join(" ");
}
