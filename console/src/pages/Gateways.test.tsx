import { cleanup, render, screen, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { ConsoleProvider, type Console } from "../data.js";
import type { Gateway } from "../openapi.js";
import { Gateways } from "./Gateways.js";

const WELL: Gateway = {
  id: "a".repeat(32),
  own: true,
  seenAt: "2030-01-01T12:00:00Z",
  missing: false,
  state: {
    host: "gateway-1",
    version: "1.0.0",
    startedAt: "2030-01-01T11:00:00Z",
    status: "ready",
    problems: [],
    storeProblem: null,
    revision: 7,
    memory: { used: 1 << 20, limit: 4 << 20 },
    certificateExpiresAt: "2100-01-01T00:00:00Z",
    workers: { available: 2, configured: 2 },
  },
};
const ILL: Gateway = {
  ...WELL,
  id: "b".repeat(32),
  own: false,
  state: {
    ...WELL.state,
    host: "gateway-2",
    version: "0.9.0",
    status: "degraded",
    revision: 5,
    storeProblem: "the store cannot be written",
    memory: null,
    workers: { available: 1, configured: 2 },
  },
};

const GONE: Gateway = { ...ILL, id: "c".repeat(32), missing: true };

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

function show(gateways: readonly Gateway[], leftOutExtensions: readonly string[] = []): void {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response(JSON.stringify(gateways))));
  const value = {
    gateway: { unavailable: [], settingProblems: [], leftOutExtensions, streams: 0 },
    session: { token: "tests", permissions: [], expiresAt: null },
    traffic: { series: [], now: 1 },
    history: { entries: [] },
  };
  render(
    <ConsoleProvider value={value as unknown as Console}>
      <Gateways />
    </ConsoleProvider>,
  );
}

/** What is shown as a problem of a gateway. */
const problemsOf = (member: HTMLElement): (string | null)[] =>
  Array.from(member.querySelectorAll("dd.worse"), ({ textContent }) => textContent);

test("Gateways shows those with a problem first, and what it is", async () => {
  show([WELL, ILL, GONE]);
  const [gone, ill, well] = await screen.findAllByRole("listitem");
  if (!gone || !ill || !well) throw new Error("there are three gateways");
  expect(gone.textContent).toMatch(/Last seen \d+ days? ago|Last seen just now/);
  expect(gone.textContent).toMatch(/Process cccccccc, started .*It has ended.*Version0\.9\.0Last revision5$/);
  expect(within(ill).getByRole("heading").textContent).toContain("gateway-2");
  expect(problemsOf(ill)).toEqual(["5, behind 7", "1 of 2", "the store cannot be written"]);
  expect(within(well).getByRole("heading").textContent).toContain("gateway-1 this one");
  expect(well.textContent).toContain("1 MiB of 4 MiB, 25%");
  expect(problemsOf(well)).toEqual([]);
  expect(screen.getByText("2 gateways with 2 versions, 1 missing", { exact: false })).toBeTruthy();
});

test("each extension that no page shows is listed", async () => {
  const texts = ["events@1.2.0 fills `directory/aside@2`", "`shell/search@1` shows 1 extension"];
  show([WELL], texts);
  await screen.findByRole("heading", { level: 3 });
  const list = screen.getByText("Extensions are not shown").parentElement?.querySelector("ul");
  expect(Array.from(list?.children ?? [], ({ textContent }) => textContent)).toEqual(
    texts.map((text) => text.replaceAll("`", "")),
  );
});

test("without a problem, there is no notice", async () => {
  show([WELL]);
  await screen.findByRole("heading", { level: 3 });
  expect(screen.queryByText("Extensions are not shown")).toBeNull();
});
