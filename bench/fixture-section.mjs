// Builds and deploys sections for a benchmark.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { deploy, publish } from "@colonnade/kit/build";

const VERSION = "1.0.0";
const SCRIPT = "text/javascript; charset=utf-8";

/**
 * A file of a fixture section.
 *
 * @typedef {{ type: string, bytes: Buffer | string }} File
 */

/**
 * Publishes a section and deploys it next to the others.
 *
 * @param {import("@colonnade/kit/build").AdminAccess} access
 * @param {object} section
 * @param {string} section.name
 * @param {string[]} [section.patterns] page patterns
 * @param {string} [section.module] source of the server module
 * @param {Record<string, File>} [section.files] files under `client/`
 * @returns {Promise<string>} the URL path of its files
 */
export async function deployFixtureSection(access, { name, patterns = [], module = "export default {};", files = {} }) {
  const all = new Map([
    ["client/entry.js", { type: SCRIPT, bytes: "// Never executed.\n" }],
    ["server/index.js", { type: SCRIPT, bytes: module }],
    ...Object.entries(files).map(([file, contents]) => /** @type {const} */ ([`client/${file}`, contents])),
  ]);
  const release = {
    name,
    version: VERSION,
    kind: "section",
    contract: 1,
    entry: "client/entry.js",
    container: `${name}_1`,
    styles: [],
    assets: [],
    pages: patterns.map((pattern) => ({ pattern, assets: [], paths: [] })),
    slots: [],
    shared: {},
    modules: { section: "server/index.js" },
    files: [...all]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, { type, bytes }]) => {
        const digest = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
        return { path: file, size: Buffer.byteLength(bytes), type, digest };
      }),
  };
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-fixture-"));
  try {
    for (const [file, { bytes }] of [...all, ["release.json", { bytes: JSON.stringify(release) }]]) {
      const target = path.join(folder, "release", file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, bytes);
    }
    await publish(folder, access);
    await deploy({ [name]: VERSION }, undefined, access);
  } finally {
    await rm(folder, { recursive: true });
  }
  return `/assets/${name}/${VERSION}/`;
}
