// Measures the time until visitors see a deployment or a rollback. See bench/README.md.
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { callAdmin, publish } from "@colonnade/kit/build";

import { ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";
import { median, printRow, readDocument } from "./report.mjs";
import { startLoad } from "./load.mjs";

const SECTION = "directory";
const TIMES = 200;
const PAGES = ["/", "/state/California", "/city/Texas/Austin", "/terms"];

/** @typedef {{ call: number, document: number }} Times milliseconds */

/**
 * Publishes the section's built release under a second version.
 *
 * @param {import("@colonnade/kit/build").AdminAccess} access
 */
async function publishSecondVersion(access) {
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
 * Calls the admin API to change the live deployment and reads documents until one is from the new deployment.
 *
 * @param {string} call
 * @param {object} body
 * @returns {Promise<Times>}
 */
async function measure(call, body) {
  const start = performance.now();
  const response = await callAdmin(site.access, "POST", `/api/v1/${call}`, {
    type: "application/json",
    bytes: JSON.stringify(body),
  });
  const responded = performance.now();
  const { number } = /** @type {{ number: number }} */ (response.body);
  for (;;) {
    const { boot } = await readDocument(`${site.url}/`);
    if (boot.deployment === number) return { call: responded - start, document: performance.now() - responded };
  }
}

/** @param {string} label @param {number[]} times */
function print(label, times) {
  printRow([label, ...[median(times), Math.max(...times)].map((time) => `${time.toFixed(1)} ms`)]);
}

const site = await startSite();
try {
  const version = await publishSecondVersion(site.access);
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
  const { generator, perSecond, failed } = await load.stop();
  console.log(`${TIMES} deployments and ${TIMES} rollbacks under load from ${generator}:`);
  console.log(`${perSecond.toFixed(0)} requests per second, ${failed} failed\n`);
  printRow(["", "median", "worst"]);
  const times = (/** @type {Times[]} */ all, /** @type {keyof Times} */ key) => all.map((each) => each[key]);
  print("deploy: response to new document", times(deploys, "document"));
  print("rollback: response to new document", times(rollbacks, "document"));
  print("deploy: API call", times(deploys, "call"));
  print("rollback: API call", times(rollbacks, "call"));
} finally {
  await site.stop();
}
