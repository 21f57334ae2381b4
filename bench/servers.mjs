// Starts servers, and waits until they listen.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { open } from "node:fs/promises";
import net from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Returns a port that nothing listens on. @returns {Promise<number>} */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  server.close();
  await once(server, "close");
  return port;
}

/** Waits until a server accepts connections. @param {number} port @param {AbortSignal} [signal] */
export async function waitUntilListening(port, signal) {
  for (;;) {
    signal?.throwIfAborted();
    const socket = net.connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    if (isOpen) return;
    await sleep(20);
  }
}

/**
 * Starts a server and waits until it listens. Its standard output goes to a file.
 *
 * @param {string[]} command
 * @param {number[]} ports
 * @param {{ output?: string, env?: Record<string, string> }} [options]
 * @returns {Promise<{ pid: number, stop: () => Promise<void> }>}
 */
export async function startServer([program = "", ...parameters], ports, { output = "/dev/null", env = {} } = {}) {
  const file = await open(output, "a");
  const child = spawn(program, parameters, {
    stdio: ["ignore", file.fd, "inherit"],
    env: { ...process.env, ...env },
  });
  await file.close();
  const failed = new AbortController();
  const ended = new Promise((resolve) => {
    child.once("error", resolve).once("exit", (code) => {
      resolve(new Error(`${program} exited with code ${code}`));
    });
  });
  void ended.then((error) => {
    failed.abort(error);
  });
  for (const port of ports) await waitUntilListening(port, failed.signal);
  return {
    pid: /** @type {number} */ (child.pid),
    async stop() {
      // Pingora answers SIGTERM by waiting for minutes.
      child.kill("SIGINT");
      await ended;
    },
  };
}
