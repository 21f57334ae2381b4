// Measures when a deployment is live at all gateways of a bucket, and their requests to it. See bench/README.md.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { callAdmin } from "@colonnade/cli";

import { ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";
import { CREDENTIALS, startObjectStore } from "./object-store.mjs";
import { drawPlots } from "./plot.mjs";
import { memoryOf } from "./processes.mjs";
import { median, printRow, quantile, readDocument } from "./report.mjs";
import { publishSecondVersion } from "./second-version.mjs";

const GATEWAYS = [1, 2, 3];
const DEPLOYMENTS = Number(process.env["DEPLOYMENTS"] ?? 200);
const IDLE_SECONDS = 30;
/** Milliseconds before each response of the object store. */
const LATENCY = 30;
const PAGE = "/terms";
const SECTION = "legal";

/** @typedef {import("../tests/support/site.mjs").Site} Site */

/** Starts gateways on an empty bucket, and deploys the site. @param {number} count @param {import("./object-store.mjs").ObjectStore} store */
async function startGateways(count, store) {
  /** @type {Site[]} */
  const sites = [];
  const empty = await mkdtemp(path.join(os.tmpdir(), "colonnade-bench-"));
  for (let index = 0; index < count; index += 1) {
    const folder = path.join(empty, `cache-${index}`);
    const config = { store: { folder, ...store.settings } };
    // Only the first one deploys.
    sites.push(await startSite(index === 0 ? { config } : { config, base: { store: empty } }));
  }
  const stop = async () => {
    for (const site of sites) await site.stop();
    await rm(empty, { recursive: true });
  };
  return { sites, stop };
}

/** Waits until a gateway serves a deployment. @param {Site} site @param {number} number */
async function waitUntilLive({ url }, number) {
  while ((await readDocument(url + PAGE)).boot.deployment !== number) await sleep(5);
}

/** Returns the time from a deploy request until all gateways serve the deployment, in milliseconds. @param {Site[]} sites @param {string} version */
async function measureDeploy(sites, version) {
  const start = performance.now();
  const { body } = await callAdmin(/** @type {Site} */ (sites[0]).access, "POST", "/api/v1/deployments", {
    type: "application/json",
    bytes: JSON.stringify({ releases: { [SECTION]: version } }),
  });
  const { number } = /** @type {{ number: number }} */ (body);
  await Promise.all(sites.map((site) => waitUntilLive(site, number)));
  return performance.now() - start;
}

/** Waits until the gateways only poll: before, they copy what is live. @param {number} count @param {import("./object-store.mjs").ObjectStore} store */
async function waitUntilIdle(count, store) {
  for (;;) {
    const before = await store.countRequests();
    await sleep(3000);
    if ((await store.countRequests()) - before <= 4 * count) return;
  }
}

/** @param {number} count */
async function measure(count) {
  const store = await startObjectStore(LATENCY);
  const { sites, stop } = await startGateways(count, store);
  try {
    const first = /** @type {Site} */ (sites[0]);
    const versions = await publishSecondVersion(first.access, SECTION);
    const { number } = await readDocument(first.url + PAGE).then(({ boot }) => ({ number: boot.deployment }));
    await Promise.all(sites.map((site) => waitUntilLive(site, number)));
    await waitUntilIdle(count, store);
    const idleBefore = await store.countRequests();
    await sleep(1000 * IDLE_SECONDS);
    const idlePerSecond = ((await store.countRequests()) - idleBefore) / IDLE_SECONDS;
    const [before, start] = [await store.countRequests(), performance.now()];
    const times = [];
    for (let turn = 0; turn < DEPLOYMENTS; turn += 1) {
      // At any moment between two polls.
      await sleep(1000 * Math.random());
      times.push(await measureDeploy(sites, /** @type {string} */ (versions[turn % 2])));
    }
    const polls = (idlePerSecond * (performance.now() - start)) / 1000;
    return {
      gateways: count,
      "deploy to live at all, median, ms": median(times),
      "deploy to live at all, p99, ms": quantile(times, 0.99),
      "store requests of an idle gateway per second": idlePerSecond / count,
      "store requests of a deployment": ((await store.countRequests()) - before - polls) / DEPLOYMENTS,
      "memory of a gateway, MB": median(await Promise.all(sites.map(({ gateway }) => memoryOf(gateway.pid)))),
    };
  } finally {
    await stop();
    store.stop();
  }
}

Object.assign(process.env, CREDENTIALS);
/** @type {Record<string, number>[]} */
const rows = [];
for (const count of GATEWAYS) rows.push(await measure(count));
for (const name of Object.keys(rows[0] ?? {}))
  printRow([name, ...rows.map((row) => (row[name] ?? NaN).toFixed(name === "gateways" ? 0 : 1))]);
await drawPlots(path.join(ROOT, "docs/images/growth-gateways.svg"), "Costs by the number of gateways", rows);
