import type { Asset } from "@colonnade/kit/shell";
import { act, cleanup, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { ensureStyles, useStyles } from "./styles";

// The stylesheets of pages are in the head, which Testing Library leaves alone.
declare const happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } };

function styleOf(name: string): Asset {
  return { type: "style", href: `/assets/hello/1.0.0/${name}`, name, integrity: "" };
}

const [SHARED, ONE, TWO] = [styleOf("shared.css"), styleOf("one.css"), styleOf("two.css")];
const SCRIPT: Asset = { type: "script", href: "/assets/hello/1.0.0/one.js", name: "one.js", integrity: "" };
const PAGE_ONE = [SHARED, ONE, SCRIPT];
const PAGE_TWO = [SHARED, TWO];

function View({ assets }: { readonly assets: readonly Asset[] }): ReactElement {
  useStyles(assets);
  return <h1>Page</h1>;
}

const elements = (): HTMLElement[] => [...document.head.querySelectorAll<HTMLElement>("[data-href]")];

/** The stylesheets that are in force, in the order of the cascade. */
function inForce(): string[] {
  return elements()
    .filter((element) => {
      const { sheet, media } = element as HTMLLinkElement;
      // Links have no sheet here, because nothing is loaded.
      return sheet ? !sheet.disabled : media === "";
    })
    .map((element) => String(element.dataset.href));
}

function inline(...names: readonly string[]): void {
  for (const name of names) {
    const style = document.createElement("style");
    style.dataset.href = name;
    style.textContent = `.${name} { color: teal }`;
    document.head.append(style);
  }
}

beforeEach(() => {
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = true;
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
  for (const element of elements()) element.remove();
});

test("only the stylesheets of the current view and of the frame are in force", async () => {
  inline("frame.css", "shared.css", "one.css");
  await ensureStyles(PAGE_ONE);
  const { rerender } = render(<View assets={PAGE_ONE} />);
  expect(inForce()).toEqual(["frame.css", "shared.css", "one.css"]);

  inline("two.css");
  await ensureStyles(PAGE_TWO);
  rerender(<View assets={PAGE_TWO} />);
  expect(inForce()).toEqual(["frame.css", "shared.css", "two.css"]);

  rerender(<View assets={PAGE_ONE} />);
  expect(inForce()).toEqual(["frame.css", "shared.css", "one.css"]);
});

test("a stylesheet loads at once, and is in force only when its view is shown", async () => {
  inline("frame.css");
  await ensureStyles(PAGE_TWO);
  await ensureStyles(PAGE_TWO);
  expect(inForce()).toEqual(["frame.css"]);
  const links = elements().slice(1) as HTMLLinkElement[];
  expect(links.map(({ dataset, media, fetchPriority }) => [dataset.href, media, fetchPriority])).toEqual([
    ["shared.css", "not all", "high"],
    ["two.css", "not all", "high"],
  ]);
});

test("a stylesheet that a hot update has replaced stays with its view", async () => {
  await ensureStyles([TWO]);
  const link = elements()[0] as HTMLLinkElement;
  link.href = `${TWO.href}?1`;
  await ensureStyles([TWO]);
  expect(elements()).toEqual([link]);
});

test("a view whose stylesheets have another order has elements of its own", async () => {
  inline("shared.css", "one.css");
  await ensureStyles(PAGE_ONE);
  const { rerender } = render(<View assets={PAGE_ONE} />);

  const reverse = [ONE, SHARED];
  await ensureStyles(reverse);
  await ensureStyles(reverse);
  expect(elements().map(({ dataset }) => dataset.href)).toEqual(["shared.css", "one.css", "shared.css"]);
  expect(inForce()).toEqual(["shared.css", "one.css"]);
  rerender(<View assets={reverse} />);
  expect(inForce()).toEqual(["one.css", "shared.css"]);
});

test("a slot's stylesheets are in force beside those of the page while it is shown", async () => {
  inline("shared.css", "one.css", "two.css");
  await Promise.all([ensureStyles(PAGE_ONE), ensureStyles(PAGE_TWO)]);
  const page = render(<View assets={PAGE_ONE} />);
  const slot = render(<View assets={PAGE_TWO} />);
  expect(inForce()).toEqual(["shared.css", "one.css", "two.css"]);
  act(() => {
    slot.unmount();
  });
  expect(inForce()).toEqual(["shared.css", "one.css"]);
  page.unmount();
});

test("a stylesheet whose view has 143 kB may take 46 s: 8 s, and 30 kbit/s", async () => {
  vi.useFakeTimers();
  vi.spyOn(document.head, "append").mockImplementationOnce(() => undefined);
  const onFailure = vi.fn();
  ensureStyles([TWO], 143_000).catch(onFailure);
  await vi.advanceTimersByTimeAsync(46_132);
  expect(onFailure).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onFailure).toHaveBeenCalledExactlyOnceWith(new Error(`the stylesheet ${TWO.href} took longer than 46133 ms`));
});

test("a stylesheet that fails to load is inserted again by the next load", async () => {
  vi.spyOn(document.head, "append").mockImplementationOnce((link) => {
    (link as HTMLLinkElement).dispatchEvent(new Event("error"));
  });
  await expect(ensureStyles([TWO])).rejects.toThrow("the stylesheet /assets/hello/1.0.0/two.css could not be loaded");
  await ensureStyles([TWO]);
  expect(elements()).toHaveLength(1);
});
