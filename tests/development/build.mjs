// Builds the release of every package of the site that is not up to date, and the shell of `colonnade dev`; with `--example`, of
// the example with live data, and of the site in examples/minimal-shell.
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";

import { build, UsageError } from "@colonnade/cli";

import { EVENTS } from "../support/events-api.mjs";
import { MINIMAL, PACKAGES, ROOT } from "../support/repository.mjs";

const isExample = process.argv.includes("--example");
// At the same time, because a build uses one processor most of the time.
const developmentShell = isExample
  ? undefined
  : spawn(process.execPath, [path.join(ROOT, "packages/cli/scripts/build-shell.mjs")], { stdio: "inherit" });
const exited = developmentShell ? once(developmentShell, "exit") : [0];

for (const folder of isExample ? [EVENTS, ...MINIMAL] : PACKAGES) {
  try {
    const { release, built } = await build(folder, { final: false });
    if (built) console.log(`built ${release.name}@${release.version}`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${path.basename(folder)}: ${error.message}`);
    process.exit(1);
  }
}
const [code] = await exited;
process.exitCode = code ?? 1;
