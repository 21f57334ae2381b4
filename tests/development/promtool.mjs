// Prints the path of promtool, which tests the alert rules: an installed one, otherwise that of Debian's package, unpacked below
// `target/`. Without it, prints a warning to stderr and nothing to stdout.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";

import { ROOT } from "../support/repository.mjs";

const FOLDER = path.join(ROOT, "target/prometheus");
const UNPACKED = path.join(FOLDER, "usr/bin/promtool");
const TIMEOUT = 60_000;

/** @param {string} command @param {string[]} args */
function run(command, ...args) {
  return spawnSync(command, args, { cwd: FOLDER, stdio: "ignore", timeout: TIMEOUT }).status === 0;
}

function unpackDebianPackage() {
  mkdirSync(FOLDER, { recursive: true });
  if (!run("apt-get", "download", "prometheus")) return false;
  const [file] = readdirSync(FOLDER).filter((name) => name.endsWith(".deb"));
  return file !== undefined && run("dpkg-deb", "--extract", file, ".");
}

if (spawnSync("promtool", ["--version"]).status === 0) console.log("promtool");
else if (existsSync(UNPACKED) || unpackDebianPackage()) console.log(UNPACKED);
else console.warn("ALERT RULES NOT TESTED: promtool is not installed (Debian's package prometheus).");
