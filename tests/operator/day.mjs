// An operator's day with the built gateway: install, configure, deploy, upgrade under load, a failing candidate, backup,
// disaster and restore. Prints each command with its outcome and time; fails at the first outcome that is wrong.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { appendFile, cp, mkdtemp, rename, rm, symlink } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { createToken, writeConfig } from "../support/config.mjs";
import { publishPackages } from "../support/deploy-packages.mjs";
import { GATEWAY_BINARY, ROOT } from "../support/repository.mjs";
import { stall, startVisitors } from "../support/visitors.mjs";

const run = promisify(execFile);
const SECTION_COMMAND = path.join(ROOT, "packages/cli/bin/colonnade.js");

const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-operator-"));
const binary = path.join(folder, "gateway");
const store = path.join(folder, "store");
const { token, hash } = createToken();
/** The addresses of the running gateway. */
let [site, admin] = ["127.0.0.1:0", "127.0.0.1:0"];
let config = "";
let pid = 0;
/** @type {string[]} */
let releases = [];
/** The release of the failing candidate. */
let candidate = "";
const began = performance.now();

/** @param {string} text */
function print(text) {
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(6);
  console.log(text.replaceAll(/^/gm, `${seconds} s  `));
}

/**
 * Runs a command, prints it with its output, and checks its exit code.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {number} [expected] exit code
 * @param {string} [cwd]
 */
async function command(program, args, expected = 0, cwd = folder) {
  const isGateway = program === binary;
  print(`$ ${[isGateway ? "gateway" : "colonnade", ...args].join(" ").replaceAll(`${folder}/`, "")}`);
  const env = { ...process.env, COLONNADE_ADMIN: `http://${admin}`, COLONNADE_TOKEN: token, NO_COLOR: "1" };
  const argv = isGateway ? args : [SECTION_COMMAND, ...args];
  const result = await run(isGateway ? binary : process.execPath, argv, { env, cwd }).then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  );
  // The new token is not used, but a transcript should not contain any.
  const output = result.output
    .trim()
    .replaceAll(`${folder}/`, "")
    .replaceAll(/cg_[\w-]+/g, "cg_…");
  if (output) print(output.replaceAll(/^/gm, "  "));
  assert.equal(result.code, expected, `exit code of ${args.join(" ")}`);
  return output;
}

/** @param {string[]} args @param {number} [expected] */
const gateway = (args, expected) => command(binary, [...args, "--config", config], expected);
/** @param {string[]} args @param {string} [cwd] */
const section = (args, cwd) => command("section", args, 0, cwd);

/** @type {Record<string, unknown>[]} */
const log = [];

/** Starts the gateway in the background, and waits until it listens. */
async function start() {
  print("$ gateway serve --config site.toml &");
  const child = spawn(binary, ["serve", "--config", config], { stdio: ["ignore", "pipe", "inherit"] });
  pid = child.pid ?? 0;
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (/** @type {string} */ text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    log.push(...lines.map((line) => /** @type {Record<string, unknown>} */ (JSON.parse(line))));
  });
  const listening = await event("listening", log.length);
  [site, admin] = [String(listening["site"]), String(listening["admin"])];
}

/**
 * Waits for an event of the gateway, and prints it.
 *
 * @param {string} name
 * @param {number} [from] the number of log lines to skip
 */
async function event(name, from = 0) {
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(20)) {
    const found = log.slice(from).find((line) => line["event"] === name);
    if (found) {
      print(`  log: ${JSON.stringify({ ...found, timestamp: undefined })}`);
      return found;
    }
  }
  throw new Error(`no event ${name}`);
}

/**
 * Requests a page as a client with its own address.
 *
 * @param {string} target
 * @param {{ client?: string, method?: string, headers?: http.OutgoingHttpHeaders, body?: string }} [options]
 * @returns {Promise<{ status: number, headers: http.IncomingHttpHeaders, body: string }>}
 */
function request(target, { client = "127.0.0.1", method = "GET", headers = {}, body = "" } = {}) {
  return new Promise((resolve, reject) => {
    const [host, port] = site.split(":");
    const sent = http.request({ host, port, path: target, method, headers, localAddress: client }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part) => (text += part));
      response.on("end", () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      });
    });
    sent.on("error", reject).end(body);
  });
}

/** The number of the deployment in a document. @param {string} html */
const deploymentIn = (html) => Number(/"deployment":(\d+)/.exec(html)?.[1]);

/** The live deployment that a visitor sees. */
async function live() {
  const { status, body } = await request("/terms");
  assert.equal(status, 200);
  return deploymentIn(body);
}

async function install() {
  await cp(GATEWAY_BINARY, binary);
  await command(binary, ["--version"]);
}

async function configure() {
  await command(binary, ["token"]).then((output) => assert.match(output, /sha256:/));
  const write = (/** @type {string} */ actions) =>
    writeConfig(folder, {
      listen: { site, admin },
      store: { folder: store },
      render: { warm_cache: false },
      rollout: { min_views: 4, min_clients: 3 },
      admin: { tokens: [{ name: "operator", hash, sections: ["*"], actions: actions.split(" ") }] },
    });
  config = await write("publish depoly");
  await gateway(["check"], 2);
  config = await write("publish deploy rollback preview garbage_collect");
  await gateway(["check"]);
}

async function startAndDeploy() {
  await start();
  const access = { url: `http://${admin}`, token };
  const published = await publishPackages(access);
  releases = published.map(({ name, version }) => `${name}@${version}`);
  print(`published ${releases.join(" ")}`);
  await section(["deploy", ...releases]);
  assert.equal(await live(), 1);
}

/** Replaces the binary while visitors use the site and one request stalls. */
async function upgradeUnderLoad() {
  const url = `http://${site}`;
  const stalled = await stall(url);
  const stop = startVisitors(url);
  // Visitors use the site for a second before and after the upgrade.
  await sleep(1000);
  await rm(binary);
  await cp(GATEWAY_BINARY, binary);
  const output = await gateway(["upgrade"]);
  const before = pid;
  pid = Number(/process (\d+) serves/.exec(output)?.[1]);
  assert.notEqual(pid, before);
  await sleep(1000);
  const { times, failed } = await stop();
  stalled.destroy();
  print(`${String(times.length)} requests, ${String(failed)} failed, slowest ${Math.max(...times).toFixed(0)} ms`);
  assert.equal(failed, 0);
}

/** Rolls out a release whose pages fail in browsers, and waits until the gateway aborts the rollout. */
async function failingCandidate() {
  const broken = path.join(folder, "legal");
  const isSource = (/** @type {string} */ file) => !["node_modules", "release"].includes(path.basename(file));
  await cp(path.join(ROOT, "mfe-legal"), broken, { recursive: true, filter: isSource });
  await symlink(path.join(ROOT, "node_modules"), path.join(broken, "node_modules"));
  await appendFile(path.join(broken, "src/section.ts"), "// A change.\n");
  await section(["build"], broken);
  const output = await section(["publish"], broken);
  candidate = /legal@[\w.-]+/.exec(output)?.[0] ?? "";
  await section(["deploy", candidate, "--rollout", "50", "--reason", "new terms"]);
  // So many that chance does not explain the failures.
  for (let client = 2; client < 62; client += 1) {
    const address = `127.0.3.${String(client)}`;
    const { body } = await request("/terms", { client: address });
    const deployment = deploymentIn(body);
    if (deployment !== 1) {
      const report = { deployment, release: candidate, phase: "render", error: "TypeError" };
      const headers = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
      const options = { client: address, method: "POST", headers, body: JSON.stringify(report) };
      // 410 after the abort.
      assert([204, 410].includes((await request("/_report", options)).status));
    }
  }
  for (const end = Date.now() + 30_000; Date.now() < end; await sleep(100)) {
    const rollouts = await fetch(`http://${admin}/api/v1/deployments`, {
      headers: { authorization: `Bearer ${token}` },
    }).then(async (response) => /** @type {{ rollouts: unknown[] }} */ (await response.json()).rollouts);
    if (rollouts.length === 0) break;
  }
  assert.match(await section(["history", "--limit", "1"]), /automatic-abort/);
  assert.equal(await live(), 1);
}

async function disasterAndRestore() {
  const restored = releases.find((release) => release.startsWith("legal@"))?.slice("legal@".length) ?? "";
  await section(["deploy", candidate, "--reason", "after the backup"]);
  print(`$ kill -9 ${String(pid)}; rm store/live.json`);
  process.kill(pid, "SIGKILL");
  await rm(path.join(store, "live.json"));
  assert.match(await gateway(["serve"], 1), /live\.json/);
  print("$ mv store store.lost");
  await rename(store, `${store}.lost`);
  await gateway(["store", "restore", path.join(folder, "backup")]);
  await gateway(["store", "verify"]);
  await start();
  assert.equal(await live(), 1);
  const history = await section(["history"]);
  assert.doesNotMatch(history, /after the backup/);
  await section(["deploy", candidate, "--reason", "again"]);
  await section(["rollback", "--section", "legal", "--yes"]);
  assert.match(await section(["status"]), new RegExp(`legal +${restored}`));
}

/** @type {[string, () => Promise<unknown>][]} */
const STEPS = [
  ["Install", install],
  ["Configure", configure],
  ["Start and deploy", startAndDeploy],
  ["Upgrade under load", upgradeUnderLoad],
  ["A failing candidate", failingCandidate],
  ["Backup", () => gateway(["store", "backup", path.join(folder, "backup")])],
  ["Disaster and restore", disasterAndRestore],
];
try {
  for (const [title, step] of STEPS) {
    console.log(`\n# ${title}`);
    await step();
  }
  print("done");
} finally {
  if (pid) process.kill(pid, "SIGTERM");
  await rm(folder, { recursive: true, force: true });
}
