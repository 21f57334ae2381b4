// Compares a first visit of three sections with and without shared packages: sections that use the same packages, and others. See
// bench/README.md.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";

import { build } from "../packages/cli/dist/build/build.js";
import { ROOT } from "../tests/support/repository.mjs";
import { sharingShell } from "../tests/support/generated-sections.mjs";
import { STACK, stackSection } from "./shared-stack.mjs";
import { printRow } from "./report.mjs";
import { USUAL_STACK, usualSection } from "./usual-section.mjs";

/**
 * What the shell shares, and the files of a section that uses it.
 *
 * @typedef {{ readonly packages: readonly unknown[], readonly sectionOf: (name: string) => Record<string, string> }} Stack
 */

/** What each section uses if they use different packages of the usual stack. @type {Record<string, readonly import("./usual-section.mjs").Part[]>} */
const PARTS = { catalog: ["animation"], checkout: ["form", "select"], account: ["dialog", "form"] };
const USED_ONCE = /dialog|select|motion/;

/** @param {string} name */
const differentSection = (name) => usualSection(name, PARTS[name]);

/** @type {Record<string, Stack>} */
const STACKS = {
  "three sections of a usual stack": { packages: USUAL_STACK, sectionOf: usualSection },
  "different packages, shared if used twice": {
    packages: USUAL_STACK.filter((each) => !USED_ONCE.test(String(each))),
    sectionOf: differentSection,
  },
  "different packages, all shared": { packages: USUAL_STACK, sectionOf: differentSection },
  "three sections of a small stack": { packages: STACK, sectionOf: stackSection },
};

/** The most that sections of the usual stack have with shared packages, of their bytes with own copies. */
const MAX_RATIO = 0.6;

const SECTIONS = Object.keys(PARTS);

/** @typedef {import("@colonnade/cli").Release} Release */

/** @param {string} folder @param {Record<string, string>} files */
async function write(folder, files) {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), text);
  }
}

/** Builds a shell that shares these packages, and the sections for it. @param {string} folder @param {Stack} stack */
async function buildSite(folder, { packages, sectionOf }) {
  await write(path.join(folder, "shell"), sharingShell(packages));
  const { release: shell } = await build(path.join(folder, "shell"), { final: false });
  const { shared, omittedExports } = shell;
  const policy = { styleAttributes: true, styleElements: true };
  const budget = { source: "the site", extensionPoints: {}, policy, shared, ...(omittedExports && { omittedExports }) };
  const sections = [];
  for (const name of SECTIONS) {
    await write(path.join(folder, name), sectionOf(name));
    sections.push((await build(path.join(folder, name), { final: false }, undefined, budget)).release);
  }
  return { shell, sections };
}

/** The scripts that a document of each section's first page loads, by file. @param {Awaited<ReturnType<typeof buildSite>>} site */
function scriptsOf({ shell, sections }) {
  const shared = sections.flatMap(({ pages }) => pages[0]?.shared ?? []);
  const own = new Set(
    sections.flatMap(({ name, entry, assets, pages }) =>
      [entry, ...assets, ...(pages[0]?.assets ?? [])].map((file) => `${name}/release/${file}`),
    ),
  );
  const ofShell = (/** @type {readonly string[]} */ files) => new Set(files.map((file) => `shell/release/${file}`));
  return {
    "the sections": own,
    "shared packages": ofShell(shared.flatMap((name) => shell.sharedAssets?.[name] ?? [])),
    "the shell": ofShell([...shell.assets, shell.entry]),
  };
}

/** The size of scripts, compressed with Brotli as the gateway does. @param {string} folder @param {Set<string>} files */
async function bytesOf(folder, files) {
  const scripts = [...files].filter((file) => file.endsWith(".js"));
  const sizes = scripts.map(async (file) => brotliCompressSync(await readFile(path.join(folder, file))).length);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** @param {string} folder @param {Stack} stack */
async function measure(folder, stack) {
  const scripts = scriptsOf(await buildSite(folder, stack));
  const sizes = Object.entries(scripts).map(async ([part, files]) => [part, await bytesOf(folder, files)]);
  return /** @type {Record<string, number>} */ (Object.fromEntries(await Promise.all(sizes)));
}

/** Prints the sizes of a stack's scripts, and returns the ratio of all. @param {string} name @param {string} folder @param {Stack} stack */
async function compare(name, folder, stack) {
  const without = await measure(path.join(folder, "without"), { ...stack, packages: [] });
  const sharing = await measure(path.join(folder, "sharing"), stack);
  const kilobytes = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} KB`;
  printRow([name, "own copies", "shared", "ratio"]);
  let [before, after] = [0, 0];
  for (const [part, bytes] of Object.entries(without)) {
    const shared = sharing[part] ?? 0;
    printRow([part, kilobytes(bytes), kilobytes(shared), bytes === 0 ? "–" : (shared / bytes).toFixed(3)]);
    [before, after] = [before + bytes, after + shared];
    if (part === "shared packages")
      printRow(["both", kilobytes(before), kilobytes(after), (after / before).toFixed(3)]);
  }
  printRow(["all", kilobytes(before), kilobytes(after), (after / before).toFixed(3)]);
  return after / before;
}

await mkdir(path.join(ROOT, "target"), { recursive: true });
// Within the repository, whose node_modules has the packages.
const folder = await mkdtemp(path.join(ROOT, "target/shared-packages-"));
try {
  const ratios = [];
  for (const [index, [name, stack]] of Object.entries(STACKS).entries())
    ratios.push(await compare(name, path.join(folder, String(index)), stack));
  const [ratio = NaN] = ratios;
  assert(ratio <= MAX_RATIO, `the first ratio is ${String(ratio)}; expected at most ${String(MAX_RATIO)}`);
} finally {
  await rm(folder, { recursive: true });
}
