// Measures what many deployments and rollouts cost one gateway. See bench/README.md.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { callAdmin, deploy, publish } from "@colonnade/cli";

import { startSite } from "../tests/support/site.mjs";
import { writeFixtureSection } from "../tests/support/fixture-section.mjs";
import { memoryOf } from "./processes.mjs";
import { median, printRow, readDocument } from "./report.mjs";
import { keepResult } from "./results.mjs";

const SECTIONS = Number(process.env["SECTIONS"] ?? 100);
const DEPLOYS = Number(process.env["DEPLOYS"] ?? 1000);
const ROLLOUTS = Number(process.env["ROLLOUTS"] ?? 20);
/** Page patterns of each added section. */
const PAGES = 5;
const ROUNDS = Number(process.env["ROUNDS"] ?? 5);

/** @typedef {import("../tests/support/site.mjs").Site} Site */

/** Publishes a version of an added section. @param {Site} site @param {number} number @param {string} version */
async function publishVersion({ access }, number, version) {
  const name = `growth${number}`;
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-deployments-"));
  const patterns = Array.from({ length: PAGES }, (_, page) => `/${name}${page === 0 ? "" : `/${page}/:item`}`);
  await writeFixtureSection(folder, { name, patterns, version });
  await publish(folder, access);
  await rm(folder, { recursive: true });
  return name;
}

/** Returns when a process started, in milliseconds since 1970, in steps of 10 ms. @param {number} pid */
async function startOf(pid) {
  const [stat, uptime] = await Promise.all([readFile(`/proc/${pid}/stat`, "utf8"), readFile("/proc/uptime", "utf8")]);
  const ticks = Number(stat.replace(/^.*\) /s, "").split(" ")[19]);
  return Date.now() - 1000 * Number.parseFloat(uptime) + 10 * ticks;
}

/** Returns the time from the start of a process until it listens, in milliseconds, and its memory. @param {Site} base */
async function measureStart(base) {
  const site = await startSite({ base });
  await readDocument(`${site.url}/terms`);
  const { timestamp } = JSON.parse(site.gateway.log.find((line) => line.includes('"event":"listening"')) ?? "");
  const start = Date.parse(timestamp) - (await startOf(site.gateway.pid));
  const memory = await memoryOf(site.gateway.pid);
  await site.stop();
  return { start, memory };
}

/** Measures the starts of a site. @param {Site} site @param {string} state */
async function measureState(site, state) {
  const starts = [];
  for (let round = 0; round < ROUNDS; round += 1) starts.push(await measureStart(site));
  const { body } = await callAdmin(site.access, "GET", "/api/v1/deployments");
  return {
    state,
    "start, ms": median(starts.map(({ start }) => start)),
    "memory after the start, MB": median(starts.map(({ memory }) => memory)),
    "first page of deployments, KB": JSON.stringify(body).length / 1000,
  };
}

async function measureAll() {
  const site = await startSite();
  try {
    /** @type {Record<string, string>} */
    const releases = {};
    for (let number = 0; number < SECTIONS; number += 1)
      releases[await publishVersion(site, number, "1.0.0")] = "1.0.0";
    await deploy(releases, undefined, site.access);
    const rows = [await measureState(site, `${SECTIONS} sections`)];
    for (let number = 0; number < DEPLOYS; number += 1) {
      const version = `1.${number + 1}.0`;
      const name = await publishVersion(site, number % SECTIONS, version);
      await deploy({ [name]: version }, undefined, site.access);
    }
    rows.push(await measureState(site, `after ${DEPLOYS} deploys`));
    for (let number = 0; number < ROLLOUTS; number += 1) {
      const name = await publishVersion(site, number, "2.0.0");
      await deploy({ [name]: "2.0.0" }, { percent: 50 }, site.access);
    }
    rows.push(await measureState(site, `with ${ROLLOUTS} rollouts`));
    return { rows };
  } finally {
    await site.stop();
  }
}

const { rows } = await keepResult("deployments", measureAll);
printRow(Object.keys(rows[0] ?? {}));
for (const row of rows)
  printRow(Object.values(row).map((value) => (typeof value === "number" ? value.toFixed(1) : value)));
