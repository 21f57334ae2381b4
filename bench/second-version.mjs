// Publishes a built release a second time, so that a benchmark can deploy one version after the other.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { publish } from "@colonnade/cli";

import { ROOT } from "../tests/support/repository.mjs";

/**
 * Publishes the built release of one of the site's sections under a second version.
 *
 * @param {import("@colonnade/cli").AdminAccess} access
 * @param {string} section
 * @returns {Promise<[string, string]>} the second version, and the first
 */
export async function publishSecondVersion(access, section) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-bench-"));
  try {
    await cp(path.join(ROOT, `mfe-${section}/release`), path.join(folder, "release"), { recursive: true });
    const file = path.join(folder, "release/release.json");
    const release = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...release, version: `${release.version}.again` }));
    return [(await publish(folder, access)).version, release.version];
  } finally {
    await rm(folder, { recursive: true });
  }
}
