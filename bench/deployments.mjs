// Measures the time until visitors see a deployment or a rollback. See bench/README.md.
import { callAdmin } from "@colonnade/kit/build";

import { startSite } from "../tests/support/site.mjs";
import { assetsOf, median, printRow, readDocument } from "./report.mjs";
import { startLoad } from "./load.mjs";
import { publishSecondVersion } from "./second-version.mjs";

const SECTION = "directory";
const TIMES = 200;
const PAGES = ["/", "/state/California", "/city/Texas/Austin", "/terms"];

/** @typedef {{ call: number, document: number }} Times milliseconds */

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
  const [version] = await publishSecondVersion(site.access, SECTION);
  const documents = await Promise.all(PAGES.map((page) => readDocument(site.url + page)));
  const assets = documents.flatMap(({ html }) => assetsOf(html));
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
