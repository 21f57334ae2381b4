import { describe, expect, test } from "vitest";

import { parseWrk, wrkCommand } from "./wrk.mjs";

const REPORT = `Running 1s test @ http://127.0.0.1:8080/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.10ms  400.00us   9.00ms   90.00%
    Req/Sec    58.10k     2.00k   60.00k    80.00%
  Latency Distribution
     50%  500.00us
     75%    1.20ms
     90%    1.50ms
     99%    2.50ms
  58100 requests in 1.00s, 300.00MB read
Requests/sec:  58050.12
Transfer/sec:    299.70MB
`;

describe("parseWrk", () => {
  test("reads the requests", () => {
    expect(parseWrk(REPORT)).toEqual({ requests: 58_100, failed: 0 });
  });

  test("counts error statuses and socket errors as failures", () => {
    const errors = "  Socket errors: connect 1, read 2, write 3, timeout 4\n  Non-2xx or 3xx responses: 90\n";
    expect(parseWrk(REPORT + errors).failed).toBe(100);
  });
});

test("wrkCommand passes headers and a script", () => {
  const options = { seconds: 1, connections: 8, headers: { origin: "http://a" }, script: "post.lua" };
  const words = wrkCommand("http://a/", options).join(" ");
  expect(words).toBe(
    "wrk --latency --threads 1 --connections 8 --duration 1s --header origin: http://a --script post.lua http://a/",
  );
});
