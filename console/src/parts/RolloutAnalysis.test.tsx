import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import type { RolloutAnalysis as Analysis } from "../openapi.js";
import { RolloutAnalysis } from "./RolloutAnalysis.js";
import { analysisOf, TRACK } from "./testing.js";

afterEach(cleanup);

/** The texts of the rows' cells, by the name and the rule of the criterion. */
function rows(analysis: Analysis): Readonly<Record<string, readonly string[]>> {
  render(<RolloutAnalysis analysis={analysis} />);
  const [, ...body] = within(screen.getByRole("table", { name: /^Canary analysis/ })).getAllByRole("row");
  return Object.fromEntries(
    body.map((row) => [
      within(row).getByRole("rowheader").textContent,
      within(row)
        .getAllByRole("cell")
        .map(({ textContent }) => textContent.trim()),
    ]),
  );
}

test("RolloutAnalysis compares candidate and live by criterion", () => {
  const analysis = analysisOf({
    verdict: "failing",
    criteria: {
      serverErrors: "failing",
      renderFailures: "passing",
      latencyP99: "passing",
      failedClients: "too-few-samples",
    },
    queries: [
      { name: "orders", section: "legal", verdict: "failing", candidate: 0.123456, live: null, max: 0.1 },
      { name: "latency", section: "legal", verdict: "passing", candidate: 1200, live: 1000, maxRatio: 1.5 },
      {
        name: "errors",
        section: "legal",
        verdict: "no-data",
        candidate: null,
        live: null,
        max: 1,
        problem: "no result",
      },
    ],
    candidate: { ...TRACK, serverErrorPercent: 12.34, latencyP99Ms: 1500, clients: 12, failedClientPercent: 25 },
  });
  expect(rows(analysis)).toEqual({
    "Requests in this step, at least 200": ["300", "300", "✓ passing"],
    "5xx responses at most 2 points above live": ["12.3%", "0%", "✕ failing"],
    "Render failures at most 1 point above live": ["0%", "0%", "✓ passing"],
    "99th percentile at most 500 ms above live": ["1.5 s", "120 ms", "✓ passing"],
    "Failed browsers at most 5 points above live, from 100 documents": ["25% of 12", "0% of 90", "… too few"],
    "orders of legal at most 0.1": ["0.1235", "–", "✕ failing"],
    "latency of legal at most 1.5 times live": ["1,200", "1,000", "✓ passing"],
    "errors of legal no result": ["–", "–", "? no data"],
  });
});

test("RolloutAnalysis shows no shares without requests", () => {
  const none = { ...TRACK, requests: 0, latencyP99Ms: null, clients: 0 };
  const table = rows(analysisOf({ candidate: none }));
  expect(Object.values(table).map(([candidate]) => candidate)).toEqual(["0", "–", "–", "–", "–"]);
  expect(table["Requests in this step, at least 200"]).toEqual(["0", "300", "… too few"]);
});
