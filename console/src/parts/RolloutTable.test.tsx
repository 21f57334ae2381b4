import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";

import { RolloutTable } from "./RolloutTable.js";
import { analysisOf, rolloutOf } from "./testing.js";

afterEach(cleanup);

const change = { from: "1.0.0", to: "2.0.0" };

test("RolloutTable shows those first that need attention, and why", () => {
  const passing = rolloutOf();
  const failing = rolloutOf({
    deployment: 3,
    sections: { events: change, shell: change },
    analysis: analysisOf({ verdict: "failing" }),
  });
  render(<RolloutTable rollouts={[passing, failing]} />);
  const [, ...rows] = screen.getAllByRole("row");
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^events, shell25% FailingThe candidate exceeds a limit\. The gateway aborts the rollout\./),
    expect.stringMatching(/^legal25% Passing[^.]*$/),
  ]);
  expect(screen.getByRole("link", { name: "shell" }).getAttribute("href")).toBe("/console/sections/shell");
});
