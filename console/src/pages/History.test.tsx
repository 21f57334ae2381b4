import { cleanup, fireEvent, render, screen, waitFor } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ConsoleProvider, type Console } from "../data.js";
import { History } from "./History.js";

const changeOf = (revision: number, ...sections: readonly string[]): object => ({
  revision,
  at: "2020-01-01T12:00:00Z",
  by: "team",
  action: "deploy",
  live: revision,
  sections: Object.fromEntries(sections.map((section) => [section, { from: null, to: "1.0.0" }])),
  reason: null,
});
// Those of `legal` are older than the first page of all.
const PAGES: Readonly<Record<string, object>> = {
  "/api/v1/history?limit=50&section=legal": { entries: [changeOf(5, "legal")], next: 5 },
  "/api/v1/history?limit=50&section=legal&before=5": { entries: [changeOf(2, "articles", "legal")], next: null },
  "/api/v1/history?limit=50&section=nope": { entries: [], next: null },
};

beforeEach(() => {
  vi.stubGlobal("fetch", (path: string) => Promise.resolve(new Response(JSON.stringify(PAGES[path]))));
});
afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
  history.replaceState(null, "", "/");
});

function show(query: string): void {
  history.replaceState(null, "", `/console/history${query}`);
  const value = {
    sections: [{ name: "legal", releases: [] }],
    history: { entries: [changeOf(900, "events")], next: 700 },
  };
  render(
    <ConsoleProvider value={value as unknown as Console}>
      <History />
    </ConsoleProvider>,
  );
}

const revisions = (): (string | undefined)[] =>
  screen.queryAllByRole("listitem").flatMap(({ textContent }) => /revision (\d+)/.exec(textContent)?.slice(1) ?? []);

test("History of a section reads its changes, page by page", async () => {
  show("?section=legal");
  await waitFor(() => {
    expect(revisions()).toEqual(["5"]);
  });
  fireEvent.click(screen.getByRole("button", { name: "Older changes" }));
  await waitFor(() => {
    expect(revisions()).toEqual(["5", "2"]);
  });
  expect(screen.queryByRole("button", { name: "Older changes" })).toBeNull();
  const added = screen.getAllByText(/ is added$/).map(({ textContent }) => textContent);
  expect(added).toEqual(["legal 1.0.0 is added", "legal 1.0.0 is added", "articles 1.0.0 is added"]);
});

test("History names a section that has neither releases nor changes", async () => {
  show("?section=nope");
  expect(await screen.findByText("There are no changes of nope.")).toBeTruthy();
  const filter: HTMLSelectElement = screen.getByLabelText("Section");
  expect([...filter.options].map(({ text }) => text)).toEqual(["All", "legal", "nope"]);
  expect(filter.value).toBe("nope");
});

test("History of the last hour says that it has no change, and not the site", () => {
  show("?changed=hour");
  expect(screen.getByText("There were no changes in the last hour.")).toBeTruthy();
});
