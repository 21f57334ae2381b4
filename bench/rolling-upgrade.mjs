// Replaces each of three gateways behind HAProxy and cuts off their bucket, under load. See bench/README.md.
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { callAdmin } from "@colonnade/cli";

import { startBackend } from "../tests/backend/server.mjs";
import { BACKEND_KEY, createToken, signupConfig, writeConfig } from "../tests/support/config.mjs";
import { deployPackages } from "../tests/support/deploy-packages.mjs";
import { startGateway } from "../tests/support/gateway.mjs";
import { startVisitors } from "../tests/support/visitors.mjs";
import { startHaproxy } from "./haproxy.mjs";
import { CREDENTIALS, startObjectStore } from "./object-store.mjs";
import { assetsOf, median, printRow, quantile, readDocument } from "./report.mjs";
import { publishSecondVersion } from "./second-version.mjs";
import { freePort } from "./servers.mjs";

const GATEWAYS = 3;
const SECONDS = Number(process.env["SECONDS"] ?? 600);
const SECTION = "legal";
/** Milliseconds before each response of the object store. */
const LATENCY = 30;
/** Milliseconds between two deployments. */
const DEPLOY_EVERY = 2000;
/** Milliseconds between two sign-ups. */
const SIGN_UP_EVERY = 100;

/**
 * What happens, by the share of the time that has passed. One gateway is replaced while the bucket is away.
 *
 * @type {{ at: number, replace?: number, isAway?: boolean }[]}
 */
const EVENTS = [
  { at: 0.1, replace: 0 },
  { at: 0.25, isAway: true },
  { at: 0.35, isAway: false },
  { at: 0.45, replace: 1 },
  { at: 0.6, isAway: true },
  { at: 0.65, replace: 2 },
  { at: 0.75, isAway: false },
];

Object.assign(process.env, CREDENTIALS);
const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-bench-"));
const [store, backend] = [await startObjectStore(LATENCY), await startBackend({ port: 0, key: BACKEND_KEY })];
const { token, hash } = createToken();

/** Writes the configuration of a gateway. @param {number} index */
async function configure(index) {
  const [site, admin] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`];
  const own = path.join(folder, String(index));
  await mkdir(own);
  const config = await writeConfig(own, {
    ...signupConfig(backend.url),
    listen: { site, admin, trusted_proxies: ["127.0.0.1"] },
    store: { folder: path.join(own, "cache"), ...store.settings },
    // All visitors share one address.
    limits: { shutdown_delay_ms: 3000, max_connections_per_client: 10_000 },
    admin: { tokens: [{ name: "bench", hash, sections: ["*"], actions: ["publish", "deploy"] }] },
  });
  return { site, config };
}

/** Posts a sign-up. Returns whether it succeeded. @param {string} url @param {number} turn */
async function signUp(url, turn) {
  const body = JSON.stringify({ email: `visitor@${turn}.example`, password: "a long password", age: 34 });
  const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
  const response = await fetch(`${url}/functions/v1/signup`, { method: "POST", headers, body }).catch(() => null);
  await response?.arrayBuffer();
  return response?.ok ?? false;
}

/** Repeats a task until the time is over. @param {number} end @param {number} pause @param {(turn: number) => Promise<boolean>} task */
async function repeat(end, pause, task) {
  const counts = { done: 0, failed: 0 };
  for (let turn = 0; performance.now() < end; turn += 1) {
    if (await task(turn)) counts.done += 1;
    else counts.failed += 1;
    await sleep(pause);
  }
  return counts;
}

const configurations = await Promise.all(Array.from({ length: GATEWAYS }, (_, index) => configure(index)));
const gateways = [];
for (const { config } of configurations) gateways.push(await startGateway(config));
const haproxy = await startHaproxy(configurations.map(({ site }) => site));
try {
  const access = () => ({ url: gateways[Math.floor(Math.random() * GATEWAYS)]?.admin ?? "", token });
  await deployPackages(access());
  const versions = await publishSecondVersion(access(), SECTION);
  while ((await fetch(`${haproxy.url}/terms`)).status !== 200) await sleep(100);
  const { html } = await readDocument(`${haproxy.url}/terms`);
  const start = performance.now();
  const end = start + SECONDS * 1000;
  const stopVisitors = startVisitors(haproxy.url, ["/", "/state/California", "/terms", ...assetsOf(html)]);
  const signUps = repeat(end, SIGN_UP_EVERY, (turn) => signUp(haproxy.url, turn));
  let isAway = false;
  const deployments = repeat(end, DEPLOY_EVERY, async (turn) => {
    const bytes = JSON.stringify({ releases: { [SECTION]: versions[turn % 2] } });
    const content = { type: "application/json", bytes };
    return callAdmin(access(), "POST", "/api/v1/deployments", content).then(
      () => true,
      () => false,
    );
  });
  for (const { at, replace, ...event } of EVENTS) {
    await sleep(Math.max(0, start + at * SECONDS * 1000 - performance.now()));
    if (event.isAway !== undefined) store.setAway((isAway = event.isAway));
    if (replace !== undefined) {
      await gateways[replace]?.stop();
      gateways[replace] = await startGateway(configurations[replace]?.config ?? "");
    }
    console.log(
      `${(at * SECONDS).toFixed(0)} s: ${replace === undefined ? `bucket ${isAway ? "away" : "back"}` : `gateway ${replace + 1} replaced`}`,
    );
  }
  await sleep(Math.max(0, end - performance.now()));
  const { times, failed, causes } = await stopVisitors();
  const [signedUp, deployed] = [await signUps, await deployments];
  printRow(["", "complete", "failed"]);
  printRow(["pages and files", String(times.length), String(failed)]);
  printRow(["sign-ups", String(signedUp.done), String(signedUp.failed)]);
  printRow(["deployments", String(deployed.done), String(deployed.failed)]);
  const [p99, slowest] = [quantile(times, 0.99), times.reduce((a, b) => Math.max(a, b))];
  console.log(
    `\nPages and files: median ${median(times).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, slowest ${slowest.toFixed(0)} ms`,
  );
  for (const [cause, count] of causes) console.log(`${count} failed: ${cause}`);
  console.log("Deployments fail while the bucket is away, or at a gateway that is being replaced.");
  if (failed + signedUp.failed > 0) process.exitCode = 1;
} finally {
  await haproxy.stop();
  for (const gateway of gateways) await gateway.stop();
  await backend.close();
  store.stop();
  await rm(folder, { recursive: true });
}
