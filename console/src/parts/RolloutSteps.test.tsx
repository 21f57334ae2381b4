import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ConsoleProvider, type Console, type RunningRollout } from "../data.js";
import type { Change, RolloutProgress } from "../openapi.js";
import { RolloutSteps } from "./RolloutSteps.js";
import { rolloutOf } from "./testing.js";

const PAUSED: RolloutProgress = {
  steps: "25% for 1h, 50% for 2h, 100%",
  step: 1,
  stepStartedAt: "2030-01-01T12:00:00Z",
  paused: true,
};

const RUNNING: RolloutProgress = { ...PAUSED, stepEndsAt: "2030-01-01T13:00:00Z", paused: false };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2030-01-01T12:15:00Z"), toFake: ["Date"] });
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function show(rollout: RunningRollout, entries: readonly Change[] = []): void {
  const value = { history: { entries, next: null } } as unknown as Console;
  render(
    <ConsoleProvider value={value}>
      <RolloutSteps rollout={rollout} />
    </ConsoleProvider>,
  );
}

const steps = (): readonly (string | null)[] =>
  within(screen.getByRole("list", { name: "Steps" }))
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent);

test("RolloutSteps marks the current step with its remaining time", () => {
  show(rolloutOf({ progress: RUNNING }));
  expect(steps()).toEqual(["25% for 1h 45 min left", "50% for 2h next", "Everyone "]);
  const current = screen.getByText("45 min left").closest("li");
  expect(current?.getAttribute("aria-current")).toBe("step");
  expect(current?.querySelector("progress")?.value).toBe(15 * 60_000);
  expect(screen.getByText(/^In 45 min the share rises to 50%/)).toBeDefined();
});

test("RolloutSteps shows who paused the rollout and why", () => {
  const pause: Change = {
    revision: 3,
    previous: 2,
    at: "2030-01-01T12:10:00Z",
    by: "gateway",
    action: "percent",
    live: 1,
    before: 1,
    percent: 25,
    paused: true,
    sections: { legal: { from: "1.0.0", to: "2.0.0" } },
    reason: "too few samples: 3 requests",
  };
  show(rolloutOf({ progress: PAUSED }), [pause]);
  expect(steps()[0]).toBe("25% for 1h paused");
  expect(screen.getByText(/^Paused by/).textContent).toBe("Paused by gateway, 5 min ago:");
  expect(screen.getByText("too few samples: 3 requests")).toBeDefined();
});

test("RolloutSteps has no steps if the share changes only by hand", () => {
  show(rolloutOf());
  expect(screen.queryByRole("list", { name: "Steps" })).toBeNull();
  expect(screen.getByText(/^25% of visitors see the candidate until/)).toBeDefined();
});
