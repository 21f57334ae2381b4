// Builds the release of every package of the site that is not up to date; with `--example`, of the example with live data.
import path from "node:path";

import { build, UsageError } from "@colonnade/cli";

import { EVENTS } from "../support/events-api.mjs";
import { PACKAGES } from "../support/repository.mjs";

for (const folder of process.argv.includes("--example") ? [EVENTS] : PACKAGES) {
  try {
    const { release, built } = await build(folder, { final: false });
    if (built) console.log(`built ${release.name}@${release.version}`);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`${path.basename(folder)}: ${error.message}`);
    process.exit(1);
  }
}
