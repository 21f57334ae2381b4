// How soon visitors see what was deployed, and what was put back: bench/README.md.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { callAdmin, publish } from "@colonnade/kit/build";

import { ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";
import { median, printRow, readDocument } from "./figures.mjs";
import { startLoad } from "./load.mjs";

const SECTION = "directory";
const TIMES = 200;
const PAGES = ["/", "/state/California", "/city/Texas/Austin", "/terms"];

/** @typedef {{ call: number, document: number }} Times milliseconds */

/**
 * Publishes the built release of the section once more, under another version.
 *
 * @param {import("@colonnade/kit/build").AdminAccess} access
 */
async function publishAgain(access) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-bench-"));
  try {
    await cp(path.join(ROOT, `mfe-${SECTION}/release`), path.join(folder, "release"), { recursive: true });
    const file = path.join(folder, "release/release.json");
    const release = JSON.parse(await readFile(file, "utf8"));
    await writeFile(file, JSON.stringify({ ...release, version: `${release.version}.again` }));
    return (await publish(folder, access)).version;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Makes a call that changes what is live, and reads documents until one is of the new deployment.
 *
 * @param {string} call
 * @param {object} wish
 * @returns {Promise<Times>}
 */
async function measure(call, wish) {
  const start = performance.now();
  const answer = await callAdmin(site.access, "POST", `/api/v1/${call}`, {
    type: "application/json",
    bytes: JSON.stringify(wish),
  });
  const answered = performance.now();
  const { number } = /** @type {{ number: number }} */ (answer.body);
  for (;;) {
    const { boot } = await readDocument(`${site.url}/`);
    if (boot.deployment === number) return { call: answered - start, document: performance.now() - answered };
  }
}

/** @param {string} what @param {number[]} times */
function print(what, times) {
  printRow([what, ...[median(times), Math.max(...times)].map((time) => `${time.toFixed(1)} ms`)]);
}

const site = await startSite();
try {
  const version = await publishAgain(site.access);
  const documents = await Promise.all(PAGES.map((page) => readDocument(site.url + page)));
  const assets = documents.flatMap(({ html }) => html.match(/\/assets\/[^"]+/g) ?? []);
  const load = await startLoad(site.url, [...PAGES, ...new Set(assets)]);
  /** @type {Times[]} */
  const deploys = [];
  /** @type {Times[]} */
  const rollbacks = [];
  for (let turn = 0; turn < TIMES; turn += 1) {
    deploys.push(await measure("deployments", { releases: { [SECTION]: version } }));
    rollbacks.push(await measure("rollback", { section: SECTION }));
  }
  const { by, perSecond, failed } = await load.stop();
  console.log(`${TIMES} deployments and ${TIMES} rollbacks under load from ${by}:`);
  console.log(`${perSecond.toFixed(0)} requests a second, ${failed} failed\n`);
  printRow(["", "median", "worst"]);
  const times = (/** @type {Times[]} */ all, /** @type {keyof Times} */ which) => all.map((one) => one[which]);
  print("deploy: from its answer to the document", times(deploys, "document"));
  print("rollback: from its answer to the document", times(rollbacks, "document"));
  print("deploy: the call", times(deploys, "call"));
  print("rollback: the call", times(rollbacks, "call"));
} finally {
  await site.stop();
}
