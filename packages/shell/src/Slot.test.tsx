import { useConfig } from "@colonnade/kit";
import { ShellContext } from "@colonnade/kit/shell";
import { TEST_SITE } from "@colonnade/kit/testing";
import { act, cleanup, render, screen } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { fakeSlots, slotLoader } from "./fixtures.js";
import { Slot, SlotsContext, type Slots } from "./Slot.js";

function Search() {
  return <input type="search" aria-label={useConfig<{ readonly label?: string }>().label} />;
}

const SEARCH = fakeSlots({ search: slotLoader(() => Promise.resolve({ Component: Search })) });
const SERVICES = { site: TEST_SITE, configs: { "search-section": { label: "Find" } }, openDialog: () => undefined };

const header = (slots: Slots | null) => (
  <ShellContext value={SERVICES}>
    <SlotsContext value={slots}>
      <Slot name="search" className="place" />
    </SlotsContext>
  </ShellContext>
);

/** Renders the slot on the server and hydrates it. Returns its place. */
async function hydrated(slots: Slots): Promise<Element | null> {
  const container = document.createElement("div");
  document.body.append(container);
  container.innerHTML = renderToString(header(null));
  await act(async () => {
    render(header(slots), { container, hydrate: true });
    await Promise.resolve();
  });
  return container.querySelector(".place");
}

beforeEach(() => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  cleanup();
  vi.restoreAllMocks();
});

test("the server renders only the place of a slot", () => {
  expect(renderToString(header(null))).toBe('<div class="place"></div>');
});

test("the section that fills a slot renders in its place, with its configuration", async () => {
  const place = await hydrated(SEARCH);
  expect(place?.contains(screen.getByRole("searchbox", { name: "Find" }))).toBe(true);
  expect(place?.querySelector(".search-section_scope")).not.toBeNull();
  expect(console.error).not.toHaveBeenCalled();
});

test("the place of a slot that no section fills disappears", async () => {
  expect(await hydrated(fakeSlots({}))).toBeNull();
});

test("the place of a slot whose deployment is gone stays empty", async () => {
  const place = await hydrated(fakeSlots({ search: slotLoader(() => Promise.resolve(null)) }));
  expect(place?.innerHTML).toBe("");
});

test("a slot that fails shows nothing, and its place is no longer empty", async () => {
  const Broken = (): never => {
    throw new Error("the section threw");
  };
  const slots = fakeSlots({ search: slotLoader(() => Promise.resolve({ Component: Broken })) });
  const place = await hydrated(slots);
  expect(place?.innerHTML).toBe("<span></span>");
  expect(slots.deployment.report).toHaveBeenCalledOnce();
});
