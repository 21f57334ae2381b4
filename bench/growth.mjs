// Measures how the gateway's costs grow with the number of sections. See bench/README.md.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { callAdmin, deploy, publish } from "@colonnade/cli";

import { ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";
import { writeFixtureSection } from "../tests/support/fixture-section.mjs";
import { CREDENTIALS, startObjectStore } from "./object-store.mjs";
import { drawPlots } from "./plot.mjs";
import { cpuTime, memoryOf, pin, waitUntilIdle } from "./processes.mjs";
import { median, printRow, readDocument, readRaw } from "./report.mjs";
import { keepResult } from "./results.mjs";
import { publishSecondVersion } from "./second-version.mjs";
import { runWrk, wrkCommand } from "./wrk.mjs";

const SECTIONS = [4, 40, 200];
/** Page patterns of each added section. */
const PAGES = 5;
const ROUNDS = Number(process.env["ROUNDS"] ?? 11);
const DEPLOYMENTS = Number(process.env["DEPLOYMENTS"] ?? 40);
/** Milliseconds before each response of the object store. */
const LATENCY = 30;
/** A page of a section that every site has. */
const PAGE = "/terms";
const SECTION = "legal";

/** @typedef {import("../tests/support/site.mjs").Site} Site */
/** @typedef {import("./object-store.mjs").ObjectStore} ObjectStore */
/** @typedef {{ site: Site, versions: string[], visible: number[] }} Grown */
/** @typedef {{ sections: number, folder: Grown, bucket: Grown & { store: ObjectStore, requests: number[] }, cpu: number[] }} Size */

/** Publishes sections that nobody visits until the site has `count`, and deploys them. @param {Site} site @param {number} count */
async function addSections({ access }, count) {
  /** @type {Record<string, string>} */
  const releases = {};
  for (let number = SECTIONS[0] ?? 0; number < count; number += 1) {
    const name = `growth${number}`;
    const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-growth-"));
    const patterns = Array.from({ length: PAGES }, (_, page) => `/${name}${page === 0 ? "" : `/${page}/:item`}`);
    await writeFixtureSection(folder, { name, patterns });
    releases[name] = (await publish(folder, access)).version;
    await rm(folder, { recursive: true });
  }
  if (count > (SECTIONS[0] ?? 0)) await deploy(releases, undefined, access);
}

/**
 * Starts a site with added sections. Its process has not published anything, so that its memory is that of serving.
 *
 * @param {number} sections
 * @param {ObjectStore} [store] keeps the releases; a folder does otherwise
 * @returns {Promise<Grown>}
 */
async function startGrown(sections, store) {
  const start = async (/** @type {Site | undefined} */ base) => {
    if (!store) return await startSite(base && { base });
    const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-growth-"));
    const config = { store: { folder: path.join(folder, "cache"), ...store.settings } };
    const site = await startSite(base ? { config, base: { store: folder } } : { config });
    const stop = () => site.stop().then(() => rm(folder, { recursive: true }));
    return { ...site, stop };
  };
  const seed = await start(undefined);
  const versions = await publishSecondVersion(seed.access, SECTION);
  await addSections(seed, sections);
  const site = await start(seed);
  await seed.stop();
  return { site, versions, visible: [] };
}

const LOAD = { seconds: 1, connections: 8, headers: { "accept-encoding": "br" } };

/** Returns the gateway's CPU time for one request, in microseconds. @param {Site} site */
async function measureRequest({ url, gateway }) {
  await waitUntilIdle(gateway.pid);
  const before = await cpuTime(gateway.pid);
  const { requests, failed } = await runWrk(wrkCommand(url + PAGE, LOAD));
  if (failed > 0) throw new Error(`${failed} requests failed`);
  await waitUntilIdle(gateway.pid);
  return (1000 * ((await cpuTime(gateway.pid)) - before)) / requests;
}

/** Returns the time from a deploy request to the first document of the new deployment, in milliseconds. @param {Site} site @param {string} version */
async function measureDeploy({ url, access }, version) {
  const start = performance.now();
  const { body } = await callAdmin(access, "POST", "/api/v1/deployments", {
    type: "application/json",
    bytes: JSON.stringify({ releases: { [SECTION]: version } }),
  });
  const { number } = /** @type {{ number: number }} */ (body);
  while ((await readDocument(url + PAGE)).boot.deployment !== String(number));
  return performance.now() - start;
}

/** Deploys to a site by turns. @param {Grown} grown @param {number} turn */
async function deployNext({ site, versions, visible }, turn) {
  visible.push(await measureDeploy(site, /** @type {string} */ (versions[turn % 2])));
}

/** Measures sites of all sizes. @returns {Promise<{ rows: Record<string, number>[] }>} */
async function measureAll() {
  /** @type {Size[]} */
  const sizes = [];
  try {
    pin(0);
    for (const sections of SECTIONS) {
      const store = await startObjectStore(LATENCY);
      const [folder, bucket] = [await startGrown(sections), await startGrown(sections, store)];
      sizes.push({ sections, folder, bucket: { ...bucket, store, requests: [] }, cpu: [] });
    }
    pin(1);
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const { folder, cpu } of round % 2 === 0 ? sizes : sizes.toReversed())
        cpu.push(await measureRequest(folder.site));
    }
    const memory = await Promise.all(sizes.map(({ folder }) => memoryOf(folder.site.gateway.pid)));
    for (let turn = 0; turn < DEPLOYMENTS; turn += 1) {
      for (const { folder, bucket } of sizes) {
        await deployNext(folder, turn);
        const before = await bucket.store.countRequests();
        await deployNext(bucket, turn);
        bucket.requests.push((await bucket.store.countRequests()) - before);
      }
    }
    const rows = [];
    for (const [index, { sections, folder, bucket, cpu }] of sizes.entries()) {
      rows.push({
        sections,
        "CPU of a request, µs": median(cpu),
        "document, bytes": (await readRaw(folder.site.url + PAGE, "br")).body.length,
        "memory, MB": memory[index] ?? NaN,
        "memory after deployments, MB": await memoryOf(folder.site.gateway.pid),
        "deploy to visible, ms": median(folder.visible),
        "deploy to visible, bucket, ms": median(bucket.visible),
        "bucket requests of a deployment": median(bucket.requests),
      });
    }
    return { rows };
  } finally {
    for (const { folder, bucket } of sizes) {
      await Promise.all([folder.site.stop(), bucket.site.stop()]);
      bucket.store.stop();
    }
  }
}

Object.assign(process.env, CREDENTIALS);
const { rows } = await keepResult("growth", measureAll);
printRow(Object.keys(rows[0] ?? {}));
for (const row of rows) printRow(Object.values(row).map((value) => value.toFixed(value < 1000 ? 1 : 0)));
await drawPlots(
  path.join(ROOT, "docs/images/growth-sections.svg"),
  "Costs of one gateway by its number of sections",
  rows,
);
