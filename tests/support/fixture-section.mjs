// Sections that no build made.
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { deploy, publish } from "@colonnade/cli";

const VERSION = "1.0.0";
const SCRIPT = "text/javascript; charset=utf-8";
const NO_PAGES = "export default {};";

/**
 * A file of a fixture section.
 *
 * @typedef {{ type: string, bytes: Buffer | string }} File
 */

/**
 * A fixture section.
 *
 * @typedef {object} Section
 * @property {string} name
 * @property {string} [version]
 * @property {string[]} [patterns] page patterns
 * @property {Record<string, File>} [files] files under `client/`
 * @property {string} [server] the server module; by default one without pages
 * @property {string} [sourceMap] the source map of the server module
 */

/**
 * Writes the release of a section, which `publish` uploads.
 *
 * @param {string} folder receives `release/`
 * @param {Section} section
 */
export async function writeFixtureSection(
  folder,
  { name, version = VERSION, patterns = [], files = {}, server = NO_PAGES, sourceMap },
) {
  /** @type {Map<string, File>} */
  const all = new Map([
    ["client/entry.js", { type: SCRIPT, bytes: "// Never executed.\n" }],
    ["server/index.js", { type: SCRIPT, bytes: server }],
    ...(sourceMap === undefined
      ? []
      : [/** @type {const} */ (["server/maps/server/index.js.map", { type: "application/json", bytes: sourceMap }])]),
    ...Object.entries(files).map(([file, contents]) => /** @type {const} */ ([`client/${file}`, contents])),
  ]);
  const release = {
    name,
    version,
    kind: "section",
    contract: 1,
    entry: "client/entry.js",
    container: `${name.replaceAll("-", "_")}_1`,
    styles: [],
    assets: [],
    pages: patterns.map((pattern) => ({ pattern, assets: [], paths: [] })),
    shared: {},
    modules: { section: "server/index.js" },
    files: [...all]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, { type, bytes }]) => {
        const digest = `sha384-${createHash("sha384").update(bytes).digest("base64")}`;
        return { path: file, size: Buffer.byteLength(bytes), type, digest };
      }),
  };
  all.set("release.json", { type: "application/json", bytes: JSON.stringify(release) });
  for (const [file, { bytes }] of all) {
    const target = path.join(folder, "release", file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, bytes);
  }
}

/**
 * Publishes a section and deploys it next to the others.
 *
 * @param {import("@colonnade/cli").AdminAccess} access
 * @param {Section} section
 */
export async function deployFixtureSection(access, section) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-fixture-"));
  try {
    await writeFixtureSection(folder, section);
    await publish(folder, access);
    await deploy({ [section.name]: VERSION }, undefined, access);
  } finally {
    await rm(folder, { recursive: true });
  }
}
