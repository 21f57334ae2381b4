// Measures new connections without TLS, with a full handshake, and with a resumed session. See bench/README.md.
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import os from "node:os";
import path from "node:path";
import tls from "node:tls";

import { writeConfig } from "../tests/support/config.mjs";
import { startGateway } from "../tests/support/gateway.mjs";
import { ROOT } from "../tests/support/repository.mjs";
import { cpuTime } from "./processes.mjs";
import { median, printRow } from "./report.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const CONNECTIONS = Number(process.env["CONNECTIONS"] ?? 1000);
const CONCURRENT = 4;
const REQUEST = "GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n";

/**
 * Sends a request over a new connection, and closes it after the response.
 *
 * @param {() => net.Socket} connect
 * @param {boolean} isResumed
 */
function visit(connect, isResumed) {
  return new Promise((resolve, reject) => {
    const socket = connect();
    socket.once("error", reject).once("data", (data) => {
      const wasResumed = socket instanceof tls.TLSSocket && socket.isSessionReused();
      socket.destroy();
      if (wasResumed !== isResumed) reject(new Error(`expected a ${isResumed ? "resumed session" : "full handshake"}`));
      else if (String(data).startsWith("HTTP/1.1 200")) resolve(undefined);
      else reject(new Error(`unexpected response: ${data}`));
    });
    socket.write(REQUEST);
  });
}

/** Starts a gateway, with or without TLS. @param {string} folder @param {boolean} isEncrypted */
async function start(folder, isEncrypted) {
  const files = path.join(ROOT, "tests/support/tls");
  const certificate = { certificate: path.join(files, "certificate.pem"), key: path.join(files, "key.pem") };
  const config = await writeConfig(folder, {
    listen: {
      site: "127.0.0.1:0",
      admin: "127.0.0.1:0",
      control_socket: path.join(folder, "control.sock"),
      ...(isEncrypted ? { tls: certificate } : {}),
    },
    store: { folder: path.join(folder, "store") },
    telemetry: { log_health_checks: false },
  });
  const gateway = await startGateway(config);
  return { gateway, port: Number(new URL(gateway.site).port) };
}

/** The ticket of a first connection. @param {number} port @returns {Promise<Buffer>} */
function sessionOf(port) {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, servername: "localhost", rejectUnauthorized: false });
    socket.once("session", (session) => {
      socket.destroy();
      resolve(session);
    });
    socket.once("error", reject).resume().write(REQUEST);
  });
}

/**
 * Prints the medians of all rounds.
 *
 * @param {string} label
 * @param {number} pid
 * @param {() => net.Socket} connect
 */
async function measure(label, pid, connect, isResumed = false) {
  /** @type {{ perSecond: number, cpu: number }[]} */
  const rounds = [];
  for (let round = -1; round < ROUNDS; round += 1) {
    const [cpu, started] = [await cpuTime(pid), performance.now()];
    let left = CONNECTIONS;
    const visitor = async () => {
      while (left-- > 0) await visit(connect, isResumed);
    };
    await Promise.all(Array.from({ length: CONCURRENT }, visitor));
    const seconds = (performance.now() - started) / 1000;
    // The first round warms up.
    if (round >= 0) {
      rounds.push({ perSecond: CONNECTIONS / seconds, cpu: (((await cpuTime(pid)) - cpu) * 1000) / CONNECTIONS });
    }
  }
  const [perSecond, cpu] = [median(rounds.map((each) => each.perSecond)), median(rounds.map((each) => each.cpu))];
  printRow([label, perSecond.toFixed(0), `${cpu.toFixed(0)} µs`]);
}

const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-tls-"));
printRow(["new connections", "per second", "gateway CPU"]);
try {
  const plain = await start(folder, false);
  await measure("plain HTTP", plain.gateway.pid, () => net.connect(plain.port, "127.0.0.1"));
  await plain.gateway.stop();
  const { gateway, port } = await start(folder, true);
  for (const version of /** @type {tls.SecureVersion[]} */ (["TLSv1.3", "TLSv1.2"])) {
    const options = { port, servername: "localhost", rejectUnauthorized: false, maxVersion: version };
    await measure(`${version}, full handshake`, gateway.pid, () => tls.connect(options));
    if (version === "TLSv1.3") {
      const session = await sessionOf(port);
      await measure(`${version}, resumed`, gateway.pid, () => tls.connect({ ...options, session }), true);
    }
  }
  await gateway.stop();
} finally {
  await rm(folder, { recursive: true });
}
