// Measures servers in turn, in short rounds, so that changes of the machine reach all of them.
import { quote } from "./command.mjs";
import { runH2load } from "./h2load.mjs";
import { treeOf, userAndKernelTime, waitUntilIdle } from "./processes.mjs";
import { runWrk } from "./wrk.mjs";

/** @typedef {import("./peers.mjs").Running} Running */
/** `goal` is the highest wanted ratio to nginx-full: of the CPU time, or of the 99th percentile of response times. */
/** @typedef {{ name: string, label: string, goal?: number, command: (server: Running) => string[] }} Case */

/** Returns the CPU time of all processes of a server. @param {Running} server */
async function cpuOf({ pids }) {
  const all = (await Promise.all(pids.map(treeOf))).flat();
  for (const pid of all) await waitUntilIdle(pid);
  const times = await Promise.all(all.map(userAndKernelTime));
  return {
    user: times.reduce((sum, { user }) => sum + user, 0),
    kernel: times.reduce((sum, { kernel }) => sum + kernel, 0),
  };
}

/** Returns the CPU seconds of 100,000 requests. @param {Running} server @param {string[]} command */
export async function measureCpu(server, command) {
  const before = await cpuOf(server);
  const load = await (command[0] === "wrk" ? runWrk(command) : runH2load(command));
  const after = await cpuOf(server);
  if (load.failed > 0 || !(load.requests > 0)) throw new Error(`${load.failed} requests failed: ${quote(command)}`);
  const unit = 100_000 / load.requests;
  return { user: (after.user - before.user) * unit, kernel: (after.kernel - before.kernel) * unit };
}

/**
 * Measures each server in each case, in rounds.
 *
 * @template T
 * @param {Map<string, Running>} running
 * @param {Case[]} cases
 * @param {number} rounds
 * @param {(server: Running, command: string[]) => Promise<T>} measure
 * @returns {Promise<import("./tables.mjs").Measured<T>[]>}
 */
export async function measureAll(running, cases, rounds, measure) {
  const results = cases.map(({ command, ...rest }) => ({
    ...rest,
    command: quote(command({ plain: "$PLAIN", tls: "$TLS", pids: [], stop: () => Promise.resolve() })),
    peers: [...running].map(([peer, server]) => ({
      peer,
      rounds: /** @type {T[]} */ ([]),
      next: () => measure(server, command(server)),
    })),
  }));
  // The first round warms up.
  for (let round = -1; round < rounds; round += 1) {
    console.error(round < 0 ? "warm-up" : `round ${round + 1} of ${rounds}`);
    for (const { peers } of results) {
      // Rotate the order: what runs before a server changes its caches.
      const first = Math.max(round, 0) % peers.length;
      for (const { rounds, next } of [...peers.slice(first), ...peers.slice(0, first)]) {
        const measured = await next();
        if (round >= 0) rounds.push(measured);
      }
    }
  }
  return results;
}
