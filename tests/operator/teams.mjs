// A day of 105 teams at one gateway: jobs of a CI publish with ID tokens, 20 teams roll out at once, Prometheus makes the gateway
// abort one of them, and a chat gets webhooks. Pictures of the console are in target/operator. Fails at the first wrong outcome.
import assert from "node:assert/strict";
import { execFile, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { deploy, publish } from "@colonnade/cli";
import { chromium } from "@playwright/test";

import { launchOptions } from "../support/chromium.mjs";
import { startCiIssuer } from "../support/ci-issuer.mjs";
import { createToken, writeConfig } from "../support/config.mjs";
import { deployPackages } from "../support/deploy-packages.mjs";
import { writeFixtureSection } from "../support/fixture-section.mjs";
import { startGateway } from "../support/gateway.mjs";
import { ROOT } from "../support/repository.mjs";

const run = promisify(execFile);
const COMMAND = path.join(ROOT, "packages/cli/bin/colonnade.js");
const PICTURES = path.join(ROOT, "target/operator");

/** The teams besides those of the bundled site. */
const TEAMS = Array.from({ length: 101 }, (_, index) => `team-${String(index + 1).padStart(3, "0")}`);
const ROLLED_OUT = TEAMS.slice(0, 20);
/** Its candidate fails orders, which only its own metric shows. */
const FAILS_ORDERS = "team-007";
/** One of its live pages fails to render. */
const HAS_BUG = "team-013";
const AUDIENCE = "https://gateway.example";
const CRITERION = {
  name: "failed orders",
  query: 'sum(orders_failed{section="$section",version="$version"}) or vector(0)',
  max: 0.5,
};

const began = performance.now();
const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-teams-"));
const { token, hash } = createToken();
/** @type {(() => unknown)[]} */
const stops = [];

/** @param {string} text */
function print(text) {
  console.log(`${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s  ${text}`);
}

/** Waits until a condition holds. @param {string} what @param {() => Promise<boolean> | boolean} condition */
async function until(what, condition) {
  for (const end = Date.now() + 60_000; Date.now() < end; await sleep(200)) if (await condition()) return;
  throw new Error(`${what}: not within a minute`);
}

/** Starts a server on a free port. @param {http.Server} server @returns {Promise<string>} its URL */
async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  stops.push(() => server.close());
  return `http://127.0.0.1:${String(/** @type {import("node:net").AddressInfo} */ (server.address()).port)}`;
}

/** The URL of a port that was free a moment ago. */
async function freeUrl() {
  const server = http.createServer();
  const url = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return new URL(url);
}

/** Starts a program, and waits until it responds to HTTP. @param {string} program @param {string[]} args @param {URL} url @param {NodeJS.ProcessEnv} [env] */
async function startProgram(program, args, url, env = {}) {
  const child = spawn(program, args, { stdio: "ignore", env: { ...process.env, ...env } });
  stops.push(() => child.kill());
  await until(`${path.basename(program)} listens`, () =>
    fetch(url).then(
      ({ status }) => status !== 503,
      () => false,
    ),
  );
}

/** The messages of the chat. @type {string[]} */
const messages = [];
/** What the chat still refuses. */
let refusals = 0;

/** Starts the example of a receiver, whose chat is down at first. @param {string} secret */
async function startChat(secret) {
  const chat = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const isRefused = refusals-- > 0;
    if (!isRefused) messages.push(JSON.parse(Buffer.concat(chunks).toString()).text);
    response.writeHead(isRefused ? 500 : 200, { connection: "close" }).end();
  });
  refusals = 2;
  const url = await freeUrl();
  const receiver = path.join(ROOT, "examples/chat-webhook/main.js");
  const env = { WEBHOOK_SECRET: secret, CHAT_URL: await listen(chat), PORT: url.port };
  await startProgram(process.execPath, [receiver], url, env);
  return url.href;
}

/** What the services of the teams measure. */
let metrics = "";

/** Starts Prometheus, which collects the metrics of the teams. @returns {Promise<string | undefined>} its URL, if it is installed */
async function startPrometheus() {
  const tools = path.join(ROOT, "tests/development/optional-tools.mjs");
  const program = execFileSync(process.execPath, [tools, "prometheus"], { encoding: "utf8" }).trim();
  if (program === "") {
    assert(!process.env["SOAK"], "Prometheus is not installed: a soak test needs it (apt-get install prometheus)");
    return undefined;
  }
  const exporter = await listen(
    http.createServer((_, response) => response.setHeader("content-type", "text/plain; version=0.0.4").end(metrics)),
  );
  const config = path.join(folder, "prometheus.yml");
  const targets = `[{ targets: ["${new URL(exporter).host}"] }]`;
  await writeFile(config, `scrape_configs: [{ job_name: teams, scrape_interval: 1s, static_configs: ${targets} }]\n`);
  const { host, origin } = await freeUrl();
  const data = `--storage.tsdb.path=${path.join(folder, "prometheus")}`;
  const args = [`--config.file=${config}`, data, `--web.listen-address=${host}`];
  await startProgram(program, args, new URL("/-/ready", origin));
  return origin;
}

/** Starts a gateway that knows the CI, the chat and Prometheus. @param {string} issuer @param {string | undefined} prometheus */
async function start(issuer, prometheus) {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  process.env["WEBHOOK_SECRET"] = secret;
  const actions = ["publish", "deploy", "rollback", "preview", "garbage_collect"];
  const grants = TEAMS.map((team) => ({
    provider: "ci",
    claims: { repository: `acme/${team}`, ref: "refs/heads/main" },
    sections: [team],
    actions: ["publish", "deploy"],
  }));
  const url = await startChat(secret);
  const config = await writeConfig(folder, {
    listen: { site: "127.0.0.1:0", admin: "127.0.0.1:0" },
    store: { folder: path.join(folder, "store") },
    render: { warm_cache: false, deadline_ms: 10_000, cpu_limit_ms: 5_000 },
    admin: {
      tokens: [{ name: "operator", hash, sections: ["*"], actions, expires: "2099-01-31T00:00:00Z" }],
      identity_providers: [{ name: "ci", issuer, audience: AUDIENCE }],
      grants,
    },
    rollout: { analysis: { min_requests: 3 }, ...(prometheus !== undefined && { criteria: [CRITERION] }) },
    ...(prometheus !== undefined && { prometheus: { url: prometheus } }),
    webhooks: { chat: { url, secret: { env: "WEBHOOK_SECRET" }, events: ["release.published", "rollout.changed"] } },
  });
  const gateway = await startGateway(config);
  stops.push(() => gateway.stop());
  return gateway;
}

/** The server module of a team. @param {string} team @param {string} version */
const moduleOf = (team, version) => `import { createElement } from "react";
const head = () => ({ title: "${team}", description: "${team} ${version}" });
const page = { data: () => null, head, Component: () => createElement("h1", null, "${team} ${version}") };
const order = { ...page, Component: ${team === HAS_BUG ? '() => { throw new TypeError("no order"); }' : "page.Component"} };
const pages = { "/${team}": async () => ({ page }), "/${team}/orders/:order": async () => ({ page: order }) };
export default { name: "${team}", contract: 1, pages };
`;

/** The line of the order pages in a module is line 11 of this source. */
const SOURCE_MAP = JSON.stringify({
  version: 3,
  sources: ["src/orders.tsx"],
  sourcesContent: [`${"\n".repeat(10)}  if (!order) throw new TypeError("no order");\n`],
  names: [],
  mappings: ";;;AAUc",
});

/** Writes the release of a team. @param {string} team @param {string} version @returns {Promise<string>} its folder */
async function build(team, version) {
  const target = path.join(folder, team, version);
  const patterns = [`/${team}`, `/${team}/orders/:order`];
  const section = { name: team, version, patterns, server: moduleOf(team, version), sourceMap: SOURCE_MAP };
  await writeFixtureSection(target, section);
  return target;
}

/** @typedef {Awaited<ReturnType<typeof startCiIssuer>>} Ci */
/** @typedef {Awaited<ReturnType<typeof startGateway>>} Gateway */

/** The access of a job of a team. @param {Ci} ci @param {Gateway} gateway @param {string} team */
const accessOf = (ci, gateway, team) => ({ url: gateway.admin, token: ci.tokenOf(`acme/${team}`, AUDIENCE) });

/** Publishes a release as a job of the team. @param {Ci} ci @param {Gateway} gateway @param {string} team @param {string} version */
async function publishAsJob(ci, gateway, team, version) {
  const source = { commit: randomBytes(20).toString("hex"), author: `Ada of ${team}` };
  await publish(await build(team, version), accessOf(ci, gateway, team), { source });
}

/** Publishes and deploys the first release of each team. @param {Ci} ci @param {Gateway} gateway */
async function publishAll(ci, gateway) {
  const [first = "", other = "", ...others] = TEAMS;
  // As in GitHub Actions, by the command.
  const env = {
    ...process.env,
    ...ci.environmentOf(`acme/${first}`),
    COLONNADE_ADMIN: gateway.admin,
    COLONNADE_AUDIENCE: AUDIENCE,
    COLONNADE_TOKEN: "",
  };
  const { stdout } = await run(process.execPath, [COMMAND, "publish"], { cwd: await build(first, "1.0.0"), env });
  print(stdout.trim());
  // The job of one team is nobody at the section of another.
  const foreign = publish(await build(other, "1.0.0"), accessOf(ci, gateway, first));
  await assert.rejects(foreign, /does not permit `publish` on `team-002`/);
  for (const team of [other, ...others]) await publishAsJob(ci, gateway, team, "1.0.0");
  await deploy(Object.fromEntries(TEAMS.map((team) => [team, "1.0.0"])), undefined, { url: gateway.admin, token });
  const list = /** @type {{ live: string | null }[]} */ (await read(gateway, "/sections"));
  assert.equal(list.filter(({ live }) => live !== null).length, TEAMS.length + 5);
  print(`${String(TEAMS.length)} teams published by their CI; all are live`);
}

/** @param {Gateway} gateway @param {string} target @returns {Promise<any>} */
const read = (gateway, target) =>
  fetch(`${gateway.admin}/api/v1${target}`, { headers: { authorization: `Bearer ${token}` } }).then((response) =>
    response.json(),
  );

/** Requests a page of each team a few times, as new visitors. @param {Gateway} gateway @param {string[]} teams @param {number} times */
async function visit(gateway, teams, times) {
  for (let turn = 0; turn < times; turn += 1) {
    const statuses = await Promise.all(
      teams.map((team) => fetch(`${gateway.site}/${team}`).then(({ status }) => status)),
    );
    assert(statuses.every((status) => status === 200));
  }
}

/** Rolls out a second release of 20 teams. @param {Ci} ci @param {Gateway} gateway */
async function rollOut(ci, gateway) {
  for (const team of ROLLED_OUT) await publishAsJob(ci, gateway, team, "1.1.0");
  const start = async (/** @type {string} */ team) => {
    const body = { releases: { [team]: "1.1.0" }, steps: "25% for 1h, 50% for 1h, 100%", reason: "new orders" };
    const response = await send(gateway, "/deployments", body, ci.tokenOf(`acme/${team}`, AUDIENCE));
    assert.equal(response.status, 201, await response.text());
  };
  await Promise.all(ROLLED_OUT.map(start));
  assert.equal((await read(gateway, "/rollouts")).length, ROLLED_OUT.length);
  await visit(gateway, ROLLED_OUT, 25);
  print(`${String(ROLLED_OUT.length)} rollouts run at once`);
}

/** @param {Gateway} gateway @param {string} target @param {object} body @param {string} [as] */
function send(gateway, target, body, as = token) {
  const headers = { authorization: `Bearer ${as}`, "content-type": "application/json" };
  return fetch(`${gateway.admin}/api/v1${target}`, { method: "POST", headers, body: JSON.stringify(body) });
}

/** Lets the orders of one candidate fail, and waits until the gateway aborts its rollout. @param {Gateway} gateway */
async function abortByQuery(gateway) {
  metrics = `orders_failed{section="${FAILS_ORDERS}",version="1.1.0"} 1\n`;
  const newest = async () => (await read(gateway, "/history?limit=1")).entries[0];
  await until("the gateway aborts", async () => (await newest()).action === "automatic-abort");
  const { by, sections, reason } = await newest();
  assert.deepEqual([by, Object.keys(sections)], ["gateway", [FAILS_ORDERS]]);
  assert.equal(reason, `\`${CRITERION.name}\` of ${FAILS_ORDERS} is 1, of at most ${String(CRITERION.max)}`);
  assert.equal((await read(gateway, "/rollouts")).length, ROLLED_OUT.length - 1);
  print(`aborted: ${reason}`);
}

/** Lets visitors find a bug. @param {Gateway} gateway */
async function failPage(gateway) {
  for (const order of [1, 2, 3]) await fetch(`${gateway.site}/${HAS_BUG}/orders/${String(order)}`);
  const { errors } = await read(gateway, `/sections/${HAS_BUG}/errors`);
  const thrown = errors.find((/** @type {{ class: string | null }} */ error) => error.class === "TypeError");
  assert.match(thrown.position, /^section:\d+:\d+$/);
  print(`visitors of ${HAS_BUG} had a TypeError at ${thrown.position}, ${String(thrown.count)} times`);
}

/** Makes the other candidates live. @param {Gateway} gateway */
async function promoteAll(gateway) {
  for (const { sections } of await read(gateway, "/rollouts")) {
    const target = `/rollouts/${String(Object.keys(sections)[0])}/promote`;
    assert.equal((await send(gateway, target, { reason: "all is well" })).status, 200);
  }
  assert.deepEqual(await read(gateway, "/rollouts"), []);
  print("the other rollouts are promoted");
}

/** Expects what the teams did in the chat, in order and once each. @param {boolean} hasAbort */
async function expectMessages(hasAbort) {
  const expected = (/** @type {RegExp} */ pattern) => messages.filter((text) => pattern.test(text)).length;
  await until("the chat has the promotions", () => expected(/, promote /) >= ROLLED_OUT.length - (hasAbort ? 1 : 0));
  assert.equal(expected(/published team-\d+ 1\.0\.0( |$)/), TEAMS.length);
  assert.equal(expected(/, rollout .+ → 1\.1\.0 \([0-9a-f]{12}, by Ada of team-\d+\)/), ROLLED_OUT.length);
  assert.equal(expected(/gateway, automatic-abort/), hasAbort ? 1 : 0);
  assert.equal(new Set(messages).size, messages.length);
  assert(refusals < 0, "the chat was down at first");
  print(
    `the chat has ${String(messages.length)} messages, after two that it refused; the last one: ${messages.at(-1) ?? ""}`,
  );
}

const WIDTHS = [390, 820, 1440];

/** Opens the console, and returns what takes pictures of a page and returns its text. @param {Gateway} gateway */
async function openConsole(gateway) {
  await rm(PICTURES, { recursive: true, force: true });
  await mkdir(PICTURES, { recursive: true });
  const browser = await chromium.launch(launchOptions());
  stops.push(() => browser.close());
  // A picture during the transition to another color scheme would have the colors of neither.
  const page = await browser.newPage({ reducedMotion: "reduce" });
  await page.goto(`${gateway.admin}/console`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  /** @param {string} name @param {string} target @param {("light" | "dark")[]} [schemes] */
  return async (name, target, schemes = ["light"]) => {
    await page.goto(`${gateway.admin}/console${target}`);
    await page.locator("main[aria-busy=false]").waitFor();
    await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'));
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      const contents = await page.evaluate(() => document.documentElement.scrollWidth);
      assert(contents <= width, `${name} is ${String(contents)} px wide at ${String(width)} px`);
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        const file = path.join(PICTURES, `${name}-${String(width)}-${colorScheme}.png`);
        await page.screenshot({ path: file, fullPage: true });
      }
    }
    return page.locator("main").innerText();
  };
}

async function spendDay() {
  const ci = await startCiIssuer();
  stops.push(() => ci.stop());
  const prometheus = await startPrometheus();
  const gateway = await start(ci.issuer, prometheus);
  await deployPackages({ url: gateway.admin, token });
  const take = await openConsole(gateway);
  await publishAll(ci, gateway);
  await visit(gateway, TEAMS, 3);
  await take("1-sections", "/sections");
  await rollOut(ci, gateway);
  await take("2-rollouts", "", ["light", "dark"]);
  await take("3-rollout", `/sections/${FAILS_ORDERS}`);
  if (prometheus === undefined) print("Prometheus is not installed: no query aborts a rollout");
  else {
    await abortByQuery(gateway);
    await take("4-aborted", `/sections/${FAILS_ORDERS}`);
  }
  await failPage(gateway);
  const errors = await take("5-errors", `/sections/${HAS_BUG}`, ["light", "dark"]);
  assert.match(errors, /src\/orders\.tsx:11:15\s+if \(!order\) throw new TypeError\("no order"\);/);
  await promoteAll(gateway);
  await expectMessages(prometheus !== undefined);
  await take("6-history", "/history?changed=hour");
  for (const name of ["deployments", "traffic", "gateways"]) await take(`7-${name}`, `/${name}`);
  print(`pictures: ${path.relative(ROOT, PICTURES)}`);
}

try {
  await spendDay();
} finally {
  for (const stop of stops.toReversed()) await stop();
  await rm(folder, { recursive: true, force: true });
}
