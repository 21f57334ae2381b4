import { describe, expect, test } from "vitest";

import { parseH2load, parseTimes } from "./h2load.mjs";

const REPORT = `starting benchmark...
Application protocol: h2

finished in 1.01s, 24010.00 req/s, 120.15MB/s
requests: 24310 total, 24470 started, 24310 done, 24308 succeeded, 2 failed, 2 errored, 0 timeout
status codes: 24300 2xx, 0 3xx, 7 4xx, 1 5xx
traffic: 120.15MB (125991000) total, 2.10MB (2202000) headers (space savings 20.00%), 117.00MB (122683392) data
`;

describe("parseH2load", () => {
  test("counts requests, and every failure", () => {
    expect(parseH2load(REPORT)).toEqual({ requests: 24_310, failed: 10, protocol: "h2" });
  });

  test("has no number of requests without a report", () => {
    expect(parseH2load("could not connect to host").requests).toBeNaN();
  });
});

test("parseTimes reads milliseconds after the first second", () => {
  const log = "1700000001000000\t200\t1500\n1700000000000000\t200\t9000\n1700000001500000\t200\t250\n";
  expect(parseTimes(log)).toEqual([1.5, 0.25]);
});
