// The servers that the gateway is compared with: each serves the same files, and forwards requests below `/api/`.
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { ROOT } from "../tests/support/repository.mjs";
import { DOCUMENT, publishBenchSite, startBenchGateway, TLS } from "./bench-site.mjs";
import { firstLine } from "./command.mjs";
import { brotliModule, FORWARDED, startNginx } from "./nginx.mjs";
import { pin } from "./processes.mjs";
import { freePort, startServer } from "./servers.mjs";

/** The cores of the servers, and of the load and the upstream. */
const [SERVER_CORE, LOAD_CORE] = [0, 1];
/** Headers that are specific to one response, and those that a server sets for each file. */
const OWN_HEADERS = /^(connection|content-.*(encoding|length|type)|date|etag|keep-alive|last-modified|x-request-id)$/;
/** Headers that hyper sets itself. */
const HYPER_HEADERS = /^(connection|date|keep-alive)$/;
/** Where `make bench` builds bench/peers. */
const BUILT = path.join(ROOT, "target/peers/release");

/** @typedef {import("./bench-site.mjs").BenchSite} BenchSite */
/** @typedef {{ plain: string, tls: string, pids: number[], stop: () => Promise<void> }} Running URLs, and its processes */

/**
 * A server.
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} what
 * @property {() => Promise<string | undefined>} version or undefined if it is missing
 * @property {string} install
 * @property {(site: BenchSite, upstream: string) => Promise<Running>} start
 */

/** @param {BenchSite} site @param {string} upstream @returns {Promise<Running>} */
async function startGateways(site, upstream) {
  const plain = await startBenchGateway(site, { upstream, isEncrypted: false });
  const tls = await startBenchGateway(site, { upstream, isEncrypted: true });
  return {
    plain: plain.url,
    tls: tls.url,
    pids: [plain.pid, tls.pid],
    stop: async () => void (await Promise.all([plain.stop(), tls.stop()])),
  };
}

/** @param {BenchSite} site @param {string} upstream @param {boolean} isFull @returns {Promise<Running>} */
async function startFileNginx({ files, headers }, upstream, isFull) {
  const chosen = Object.entries(headers).map(([url, all]) => {
    const isNeeded = (/** @type {string} */ name) =>
      isFull ? !OWN_HEADERS.test(name) : /^(cache-control|vary)$/.test(name);
    return [url, Object.fromEntries(Object.entries(all).filter(([name]) => isNeeded(name)))];
  });
  const { url, tls, pid, stop } = await startNginx({
    ...{ upstream, isFull, files, tls: TLS },
    headers: Object.fromEntries(chosen),
  });
  return { plain: url, tls, pids: [pid], stop };
}

/** @param {string} name @param {Pick<BenchSite, "files">} site @param {string} [upstream] @returns {Promise<Running>} */
async function startBuilt(name, { files }, upstream) {
  const ports = [await freePort(), await freePort()];
  const parameters = [files, ...ports.map(String), TLS.certificate, TLS.key, ...(upstream ? [upstream] : [])];
  const { pid, stop } = await startServer([path.join(BUILT, name), ...parameters], ports);
  return { plain: `http://127.0.0.1:${ports[0]}`, tls: `https://127.0.0.1:${ports[1]}`, pids: [pid], stop };
}

/** Starts hyper with the headers of the gateway's responses. @param {BenchSite} site @param {string} upstream */
async function startHyperWithHeaders({ folder, files, headers }, upstream) {
  const own = await mkdtemp(path.join(folder, "hyper-"));
  await cp(files, own, { recursive: true });
  /** @param {string} file @param {Record<string, string>} all */
  const write = (file, all) => {
    const lines = Object.entries(all).filter(([name]) => !HYPER_HEADERS.test(name));
    return writeFile(path.join(own, `${file}.headers`), lines.map((line) => `${line.join(": ")}\n`).join(""));
  };
  for (const [url, all] of Object.entries(headers)) await write(url, all);
  const { "x-request-id": id = "" } = headers[DOCUMENT] ?? {};
  await write("forwarded", { ...FORWARDED, "X-Request-Id": id });
  return startBuilt("bare-hyper", { files: own }, upstream);
}

/** @param {BenchSite} site @param {string} upstream @returns {Promise<Running>} */
async function startCaddy({ folder, files }, upstream) {
  const own = await mkdtemp(path.join(folder, "caddy-"));
  const ports = [await freePort(), await freePort()];
  const routes = `
  bind 127.0.0.1
  reverse_proxy /api/* ${upstream} {
    transport http {
      keepalive_idle_conns_per_host 128
      compression off
    }
  }
  root * ${files}
  @assets path /assets/*
  header @assets Cache-Control "public, max-age=31536000, immutable"
  @documents not path /assets/*
  header @documents Content-Type "text/html; charset=utf-8"
  file_server {
    precompressed br
  }`;
  const file = path.join(own, "Caddyfile");
  await writeFile(
    file,
    `{
  admin off
  auto_https off
  log {
    level ERROR
  }
  skip_install_trust
}
http://127.0.0.1:${ports[0]} {${routes}
}
https://127.0.0.1:${ports[1]} {
  tls ${TLS.certificate} ${TLS.key}${routes}
}
`,
  );
  const { pid, stop } = await startServer(["caddy", "run", "--config", file], ports, {
    env: { HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own },
  });
  return { plain: `http://127.0.0.1:${ports[0]}`, tls: `https://127.0.0.1:${ports[1]}`, pids: [pid], stop };
}

/** The version of a crate of bench/peers, if the program that uses it is built. @param {string} program @param {string} crate */
async function builtVersion(program, crate) {
  if (!existsSync(path.join(BUILT, program))) return undefined;
  const lock = await readFile(path.join(ROOT, "bench/peers/Cargo.lock"), "utf8");
  return new RegExp(`name = "${crate}"\nversion = "(.*)"`).exec(lock)?.[1];
}

async function nginxVersion() {
  const version = firstLine(["nginx", "-v"]);
  return existsSync(brotliModule()) ? version?.replace("nginx version: ", "") : undefined;
}

const INSTALL_NGINX = "apt-get install nginx libnginx-mod-http-brotli-static";

/** @type {Peer[]} */
export const PEERS = [
  {
    name: "gateway",
    what: "this gateway, with all limits, the log and the metrics",
    version: async () => firstLine(["git", "describe", "--always", "--dirty"]),
    install: "make bench",
    start: startGateways,
  },
  {
    name: "nginx",
    what: "nginx alone: no log, no limits",
    version: nginxVersion,
    install: INSTALL_NGINX,
    start: (site, upstream) => startFileNginx(site, upstream, false),
  },
  {
    name: "nginx-full",
    what: "nginx with the gateway's job: a buffered JSON log, a request ID, the same headers, a limit of connections per client",
    version: nginxVersion,
    install: INSTALL_NGINX,
    start: (site, upstream) => startFileNginx(site, upstream, true),
  },
  {
    name: "bare hyper",
    what: "hyper alone, with files in memory: no log, no limits, no timeouts",
    version: () => builtVersion("bare-hyper", "hyper"),
    install: "make bench",
    start: (site, upstream) => startBuilt("bare-hyper", site, upstream),
  },
  {
    name: "hyper with headers",
    what: "the same, with all headers of the gateway's responses",
    version: () => builtVersion("bare-hyper", "hyper"),
    install: "make bench",
    start: startHyperWithHeaders,
  },
  {
    name: "Pingora",
    what: "Pingora with files in memory: no log, no limits",
    version: () => builtVersion("pingora", "pingora"),
    install: "apt-get install cmake, then make bench",
    start: (site, upstream) => startBuilt("pingora", site, upstream),
  },
  {
    name: "Caddy",
    what: "Caddy's file server and reverse proxy: no log, no limits",
    version: async () => firstLine(["caddy", "version"]),
    install: "apt-get install caddy",
    start: startCaddy,
  },
];

/**
 * Starts the servers that are installed on one core, and moves this process to another one.
 *
 * @template T
 * @param {(running: Map<string, Running>) => Promise<T>} use
 * @param {string[]} [names] the servers that it starts, besides the gateway (default: all)
 * @returns {Promise<T>}
 */
export async function withPeers(use, names = PEERS.map(({ name }) => name)) {
  const site = await publishBenchSite();
  /** @type {(() => Promise<void>)[]} */
  const stops = [site.remove];
  try {
    pin(LOAD_CORE);
    const upstream = await startBuilt("bare-hyper", site);
    stops.push(upstream.stop);
    pin(SERVER_CORE);
    /** @type {Map<string, Running>} */
    const running = new Map();
    for (const { name, version, install, start } of PEERS) {
      if (name !== "gateway" && !names.includes(name)) continue;
      if ((await version()) === undefined) {
        console.error(`${name} is missing: ${install}`);
        continue;
      }
      const server = await start(site, new URL(upstream.plain).host);
      stops.push(server.stop);
      running.set(name, server);
    }
    pin(LOAD_CORE);
    return await use(running);
  } finally {
    for (const stop of stops.reverse()) await stop();
  }
}
