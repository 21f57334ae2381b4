// Finds a tool that a test of the gateway runs: an installed one, otherwise that of Debian's package, unpacked below `target/`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";

import { ROOT } from "../support/repository.mjs";

const TIMEOUT = 60_000;

/** @param {string} folder @param {string} debianPackage */
function unpack(folder, debianPackage) {
  /** @param {string} command @param {string[]} args */
  const run = (command, ...args) =>
    spawnSync(command, args, { cwd: folder, stdio: "ignore", timeout: TIMEOUT }).status === 0;
  mkdirSync(folder, { recursive: true });
  if (!run("apt-get", "download", debianPackage)) return false;
  const [file] = readdirSync(folder).filter((name) => name.endsWith(".deb"));
  return file !== undefined && run("dpkg-deb", "--extract", file, ".");
}

/**
 * Prints the path of a tool. Without it, prints a warning to stderr and nothing to stdout.
 *
 * @param {{ tool: string, debianPackage: string, missing: string }} options
 */
export function printTool({ tool, debianPackage, missing }) {
  const folder = path.join(ROOT, "target", debianPackage);
  const unpacked = path.join(folder, "usr/bin", tool);
  if (spawnSync(tool, ["--help"], { stdio: "ignore" }).error === undefined) console.log(tool);
  else if (existsSync(unpacked) || unpack(folder, debianPackage)) console.log(unpacked);
  else console.warn(`${missing}: ${tool} is not installed (Debian's package ${debianPackage}).`);
}
