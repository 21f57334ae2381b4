// Compares the CPU time of a request as the number of connections grows. See bench/README.md.
import { asset } from "./bench-site.mjs";
import { withPeers } from "./peers.mjs";
import { measureAll, measureCpu } from "./rounds.mjs";
import { keepResult } from "./results.mjs";
import { cpuTable } from "./tables.mjs";
import { wrkCommand } from "./wrk.mjs";

const ROUNDS = Number(process.env["ROUNDS"] ?? 5);
const CONNECTIONS = [1, 16, 64, 256, 1000, 4000];

const cases = CONNECTIONS.map((connections) => ({
  name: String(connections),
  label: String(connections),
  command: (/** @type {import("./peers.mjs").Running} */ { plain }) =>
    // Opening the connections takes part of the time.
    wrkCommand(plain + asset("10k"), { seconds: 2, connections, headers: { "accept-encoding": "br" } }),
}));
const { cpu } = await keepResult("connections", () =>
  withPeers(async (running) => ({ cpu: await measureAll(running, cases, ROUNDS, measureCpu) })),
);
console.log(cpuTable(cpu));
