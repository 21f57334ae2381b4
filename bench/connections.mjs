// Compares the CPU time of a request as the number of connections grows. See bench/README.md.
import { asset } from "./bench-site.mjs";
import { h2loadCommand } from "./h2load.mjs";
import { withPeers } from "./peers.mjs";
import { measureAll, measureCpu } from "./rounds.mjs";
import { keepResult } from "./results.mjs";
import { cpuTable, ratioTable } from "./tables.mjs";
import { wrkCommand } from "./wrk.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const CONNECTIONS = [1, 16, 64, 256, 1000, 4000];
/** The goals, by the number of connections. */
const GOALS = new Map([
  [64, 1],
  [256, 1],
  [1000, 1],
  [4000, 1.1],
]);
const TLS_GOALS = new Map([[256, 1.05]]);

/** Opening the connections takes part of the time. */
const LOAD = { seconds: 2, headers: { "accept-encoding": "br" } };

/** @typedef {import("./peers.mjs").Running} Running */

/**
 * @param {(running: Running, connections: number) => string[]} command
 * @param {Map<number, number>} goals
 * @returns {import("./rounds.mjs").Case[]}
 */
const byConnections = (command, goals) =>
  CONNECTIONS.map((connections) => {
    const goal = goals.get(connections);
    return {
      name: String(connections),
      label: String(connections),
      ...(goal && { goal }),
      command: (running) => command(running, connections),
    };
  });
const PLAIN = byConnections(
  ({ plain }, connections) => wrkCommand(plain + asset("10k"), { ...LOAD, connections }),
  GOALS,
);
const TLS = byConnections(({ tls }, clients) => h2loadCommand(tls + asset("10k"), { ...LOAD, clients }), TLS_GOALS);

const { cpu, tls } = await keepResult("connections", () =>
  withPeers(async (running) => ({
    cpu: await measureAll(running, PLAIN, ROUNDS, measureCpu),
    tls: await measureAll(running, TLS, ROUNDS, measureCpu),
  })),
);
for (const cases of [cpu, tls]) {
  console.log(ratioTable(cases));
  console.log(cpuTable(cases));
}
