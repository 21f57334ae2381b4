import { expect, test } from "vitest";

import { cpuTable, latencyTable, ratioTable } from "./tables.mjs";

const GATEWAY = [
  { user: 1, kernel: 1 },
  { user: 2, kernel: 1 },
  { user: 3, kernel: 1 },
];
const OTHER = [
  { user: 1, kernel: 1 },
  { user: 1, kernel: 1 },
  { user: 1, kernel: 1 },
];
const CASES = [
  {
    ...{ name: "a", label: "A", goal: 1.6, command: "wrk" },
    peers: [
      { peer: "gateway", rounds: GATEWAY },
      { peer: "other", rounds: OTHER },
    ],
  },
  { name: "b", label: "B", command: "wrk", peers: [{ peer: "gateway", rounds: GATEWAY }] },
];

test("ratioTable has the quartiles of the ratios of rounds, and goals", () => {
  expect(ratioTable(CASES)).toBe(
    "|  | ÷ other | goal ÷ nginx-full |\n| --- | ---: | ---: |\n| A | 1.50 (1.25–1.75) | ≤ 1.60 |\n| B | – | – |\n",
  );
});

test("cpuTable has medians of the sum and of both parts", () => {
  expect(cpuTable(CASES)).toContain("| A | 3.00 (2.00 + 1.00) | 2.00 (1.00 + 1.00) |\n");
});

test("latencyTable has the medians of both times", () => {
  const rounds = [
    { median: 0.1, p99: 1 },
    { median: 0.2, p99: 3 },
    { median: 0.3, p99: 2 },
  ];
  const table = latencyTable([{ name: "a", label: "A", command: "h2load", peers: [{ peer: "gateway", rounds }] }]);
  expect(table).toContain("| A | 0.20 / 2.00 |\n");
});
