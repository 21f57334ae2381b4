import { cleanup, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";

import { ConsoleProvider, type Console } from "../data.js";
import type { ExtensionDescription } from "../openapi.js";
import { Extensions } from "./Extensions.js";

const SHOWN: ExtensionDescription = {
  section: "events",
  version: "1.2.0",
  point: "page/aside",
  pointVersion: 1,
  live: true,
  state: "visible",
  off: null,
  renders: 4,
  errors: 3,
  renderMs: 1.234,
  bytes: 2048,
};
const OFF = { at: "2030-01-01T11:50:00Z", by: "operator", reason: "it flickers" };

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

/** Shows extensions to a session that may roll back one section. */
function show(extensions: readonly ExtensionDescription[], section: string): void {
  const can = (action: string, name: string): boolean => action === "rollback" && name === section;
  const value = { extensions, can, reload: () => Promise.resolve() } as Partial<Console> as Console;
  render(
    <ConsoleProvider value={value}>
      <Extensions />
    </ConsoleProvider>,
  );
}

/** The texts of the rows of a point. */
function rowsOf(point: string): string[] {
  const [, ...rows] = within(screen.getByRole("region", { name: point })).getAllByRole("row");
  return rows.map((row) => row.textContent.trim().replace(/\s+/g, " "));
}

test("Extensions lists what fills each point, and why it is left out", () => {
  show(
    [
      SHOWN,
      { ...SHOWN, section: "news", live: false, state: "full", errors: 1, renders: null, renderMs: null },
      {
        ...SHOWN,
        section: "gone",
        version: null,
        pointVersion: null,
        live: false,
        state: "off",
        off: OFF,
        errors: 1,
        bytes: null,
      },
    ],
    "other",
  );
  expect(rowsOf("page/aside@1")).toEqual([
    "events 1.2.0 shown, 3 errors1.2 ms2 KiB",
    "news 1.2.0 candidate left out: the point is full, 1 error–2 KiB",
  ]);
  expect(rowsOf("page/aside")).toEqual([
    expect.stringMatching(/^gone off by operator, [^;]+; 1 error before“it flickers”––$/),
  ]);
  expect(screen.queryAllByRole("button")).toEqual([]);
});

test.each([
  ["the team of the extension", "events"],
  ["the team of the page", "page"],
])("Extensions lets %s switch it with a reason", async (_, section) => {
  const fetched = vi.fn(() => Promise.resolve(new Response("{}", { status: 201 })));
  vi.stubGlobal("fetch", fetched);
  show([SHOWN, { ...SHOWN, section: "events", version: "1.1.0", state: "off", off: OFF }], section);
  fireEvent.click(screen.getByRole("button", { name: "Switch off events in page/aside" }));
  const dialog = screen.getByRole("dialog", { name: "Switch off events" });
  fireEvent.change(within(dialog).getByLabelText("Reason"), { target: { value: "it flickers" } });
  fireEvent.click(within(dialog).getByRole("button", { name: "Switch off" }));
  await waitFor(() => {
    expect(screen.queryByRole("dialog")).toBeNull();
  });
  const body = JSON.stringify({ section: "events", point: "page/aside", on: false, reason: "it flickers" });
  expect(fetched).toHaveBeenCalledExactlyOnceWith(
    "/api/v1/extensions",
    expect.objectContaining({ method: "POST", body }),
  );
  expect(screen.getByRole("button", { name: "Switch on events in page/aside" })).toBeDefined();
});
