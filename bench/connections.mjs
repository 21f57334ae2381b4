// Compares the CPU time of a request as the number of connections grows. See bench/README.md.
import { asset } from "./bench-site.mjs";
import { h2loadCommand } from "./h2load.mjs";
import { withPeers } from "./peers.mjs";
import { measureAll, measureCpu } from "./rounds.mjs";
import { keepResult } from "./results.mjs";
import { cpuTable } from "./tables.mjs";
import { wrkCommand } from "./wrk.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const CONNECTIONS = [1, 16, 64, 256, 1000, 4000];

/** Opening the connections takes part of the time. */
const LOAD = { seconds: 2, headers: { "accept-encoding": "br" } };

/** @typedef {import("./peers.mjs").Running} Running */

/** @param {(running: Running, connections: number) => string[]} command @returns {import("./rounds.mjs").Case[]} */
const byConnections = (command) =>
  CONNECTIONS.map((connections) => ({
    name: String(connections),
    label: String(connections),
    command: (running) => command(running, connections),
  }));
const PLAIN = byConnections(({ plain }, connections) => wrkCommand(plain + asset("10k"), { ...LOAD, connections }));
const TLS = byConnections(({ tls }, clients) => h2loadCommand(tls + asset("10k"), { ...LOAD, clients }));

const { cpu, tls } = await keepResult("connections", () =>
  withPeers(async (running) => ({
    cpu: await measureAll(running, PLAIN, ROUNDS, measureCpu),
    tls: await measureAll(running, TLS, ROUNDS, measureCpu),
  })),
);
console.log(cpuTable(cpu));
console.log(cpuTable(tls));
