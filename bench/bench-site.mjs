// A site with files of known sizes, for comparisons of the gateway with other servers.
import { createHash } from "node:crypto";
import { chmod, cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { BACKEND_KEY, signupConfig, writeConfig } from "../tests/support/config.mjs";
import { GATEWAY_BINARY, ROOT } from "../tests/support/repository.mjs";
import { startSite } from "../tests/support/site.mjs";
import { deployFixtureSection } from "../tests/support/fixture-section.mjs";
import { readRaw } from "./report.mjs";
import { freePort, startServer } from "./servers.mjs";

/** The URL path of a document that every site has. */
export const DOCUMENT = "/terms";
const VERSION = "1.0.0";
const SIZES = /** @type {const} */ ({ "1k": 1, "10k": 10, "60k": 60 });
/** The certificate of servers with TLS. */
export const TLS = {
  certificate: path.join(ROOT, "tests/support/tls/certificate.pem"),
  key: path.join(ROOT, "tests/support/tls/key.pem"),
};

/** Returns the URL path of an asset. @param {keyof typeof SIZES} size */
export const asset = (size) => `/assets/bench/${VERSION}/${size}.js`;

/** Returns a script that Brotli halves. @param {number} kib */
function scriptOf(kib) {
  const count = (kib * 1024) / 64;
  const lines = Array.from({ length: count }, (_, line) => createHash("sha256").update(String(line)).digest("hex"));
  return lines.map((line) => `//${line.slice(3)}\n`).join("");
}

/**
 * A site's store, and the same files and headers for other servers.
 *
 * @typedef {object} BenchSite
 * @property {string} folder for files of servers
 * @property {string} store
 * @property {string} files a folder of the files, each with its Brotli version beside it
 * @property {Record<string, Record<string, string>>} headers what the gateway sends with each file
 * @property {() => Promise<void>} remove
 */

/** Publishes the site. @returns {Promise<BenchSite>} */
export async function publishBenchSite() {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-compare-"));
  // nginx reads the files as another user.
  await chmod(folder, 0o755);
  const [store, files] = [path.join(folder, "store"), path.join(folder, "files")];
  const site = await startSite();
  try {
    const assets = Object.entries(SIZES).map(([size, kib]) => [
      `${size}.js`,
      { type: "text/javascript; charset=utf-8", bytes: scriptOf(kib) },
    ]);
    await deployFixtureSection(site.access, { name: "bench", files: Object.fromEntries(assets) });
    /** @type {BenchSite["headers"]} */
    const headers = {};
    const sizes = /** @type {(keyof typeof SIZES)[]} */ (Object.keys(SIZES));
    for (const url of [...sizes.map(asset), DOCUMENT]) {
      const compressed = await readRaw(site.url + url, "br");
      const file = path.join(files, url);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, (await readRaw(site.url + url, "identity")).body);
      await writeFile(`${file}.br`, compressed.body);
      headers[url] = Object.fromEntries(
        Object.entries(compressed.headers).map(([name, value]) => [name, String(value)]),
      );
    }
    await cp(site.store, store, { recursive: true });
    return { folder, store, files, headers, remove: () => rm(folder, { recursive: true }) };
  } finally {
    await site.stop();
  }
}

/**
 * Starts a gateway that serves a copy of the site. Its log goes to a file.
 *
 * @param {BenchSite} site
 * @param {object} options
 * @param {string} options.upstream host and port
 * @param {boolean} options.isEncrypted
 * @param {boolean} [options.isRendering] whether it has render workers (default: true)
 * @param {string[]} [options.wrapper] a command that runs the gateway
 * @returns {Promise<{ url: string, pid: number, stop: () => Promise<void> }>}
 */
export async function startBenchGateway(
  { folder, store },
  { upstream, isEncrypted, isRendering = true, wrapper = [] },
) {
  const own = await mkdtemp(path.join(folder, "gateway-"));
  await cp(store, path.join(own, "store"), { recursive: true });
  const [port, adminPort] = [await freePort(), await freePort()];
  const unlimited = 8192;
  const config = await writeConfig(own, {
    ...signupConfig("http://127.0.0.1:9"),
    listen: {
      site: `127.0.0.1:${port}`,
      admin: `127.0.0.1:${adminPort}`,
      control_socket: path.join(own, "control.sock"),
      ...(isEncrypted ? { tls: TLS } : {}),
    },
    limits: {
      max_connections_per_client: unlimited,
      max_requests_in_flight: unlimited,
      max_requests_in_flight_per_client: unlimited,
    },
    store: { folder: path.join(own, "store") },
    // Warming the cache would take the first minutes.
    render: { enabled: isRendering, warm_cache: false },
    upstreams: {
      bench: {
        path: "/api/bench",
        urls: [`http://${upstream}/api/bench`],
        methods: ["GET", "HEAD", "POST"],
        rate_limit_per_client_per_minute: 1_000_000,
        max_concurrent_per_client: 128,
      },
    },
  });
  const server = await startServer([...wrapper, GATEWAY_BINARY, "serve", "--config", config], [port], {
    output: path.join(own, "log"),
    env: { SIGNUP_BACKEND_KEY: BACKEND_KEY },
  });
  return { ...server, url: `${isEncrypted ? "https" : "http"}://127.0.0.1:${port}` };
}
