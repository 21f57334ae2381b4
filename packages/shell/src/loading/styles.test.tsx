import type { Asset } from "@colonnade/kit/shell";
import { act, cleanup, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { ensureStyles, useStyles } from "./styles.js";

// The stylesheets of pages are in the head, which Testing Library leaves alone.
declare const happyDOM: { settings: { handleDisabledFileLoadingAsSuccess: boolean } };

function styleOf(name: string): Asset {
  return { type: "style", href: `/assets/hello/1.0.0/${name}`, name, integrity: "" };
}

const [SHARED, ONE, TWO] = [styleOf("shared.css"), styleOf("one.css"), styleOf("two.css")];
const SCRIPT: Asset = { type: "script", href: "/assets/hello/1.0.0/one.js", name: "one.js", integrity: "" };
const PAGE_ONE = [SHARED, ONE, SCRIPT];
const PAGE_TWO = [SHARED, TWO];

interface ViewProps {
  readonly assets: readonly Asset[];
  readonly part?: string;
}

function View({ assets, part }: ViewProps): ReactElement {
  useStyles(assets, part);
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

/** Gives each link a sheet, as browsers do. */
function setSheets(): void {
  const sheets = new WeakMap<HTMLLinkElement, object>();
  vi.spyOn(HTMLLinkElement.prototype, "sheet", "get").mockImplementation(function (this: HTMLLinkElement) {
    if (!sheets.has(this)) sheets.set(this, { disabled: false, media: { mediaText: this.media }, cssRules: [{}] });
    return sheets.get(this) as CSSStyleSheet;
  });
}

beforeEach(() => {
  happyDOM.settings.handleDisabledFileLoadingAsSuccess = true;
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
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

describe("another part's stylesheets are in force after those of the page while it is shown", () => {
  const [JOIN, SEARCH] = [styleOf("join.css"), styleOf("search.css")];
  const JOIN_PART = [SHARED, JOIN];
  const SEARCH_PART = [JOIN, SEARCH, SHARED];
  const VIEWS: Readonly<Record<string, () => Promise<void>>> = {
    page: () => ensureStyles(PAGE_ONE),
    "other page": () => ensureStyles([ONE, SHARED]),
    join: () => ensureStyles(JOIN_PART, 0, "join"),
    search: () => ensureStyles(SEARCH_PART, 0, "search"),
  };

  test.each([["page, join, search"], ["search, join, page"], ["join, search, other page, page"]])(
    "loaded in the order %s",
    async (order) => {
      setSheets();
      for (const view of order.split(", ")) await VIEWS[view]?.();
      const search = render(<View assets={SEARCH_PART} part="search" />);
      const join = render(<View assets={JOIN_PART} part="join" />);
      expect(inForce()).toEqual(["shared.css", "join.css", "search.css"]);
      const page = render(<View assets={PAGE_ONE} />);
      expect(inForce()).toEqual(["shared.css", "one.css", "join.css", "search.css"]);
      act(() => {
        join.unmount();
      });
      expect(inForce()).toEqual(["shared.css", "one.css", "join.css", "search.css"]);
      act(() => {
        search.unmount();
      });
      expect(inForce()).toEqual(["shared.css", "one.css"]);
      page.unmount();
    },
  );
});

test("a stylesheet that has loaded waits disabled, without a second request", async () => {
  setSheets();
  await ensureStyles([TWO]);
  const [link] = elements() as HTMLLinkElement[];
  expect(link?.sheet).toMatchObject({ disabled: true, media: { mediaText: "" } });
  expect(link?.media).toBe("not all");
  render(<View assets={[TWO]} />);
  expect(link?.sheet?.disabled).toBe(false);
});

test.each([[{}], [{ href: "http://[" }], [{ href: "" }]])(
  "a link %j of an extension is left alone",
  async (attributes) => {
    const link = document.createElement("link");
    Object.entries(attributes).forEach(([name, value]) => {
      link.setAttribute(name, value);
    });
    link.rel = "stylesheet";
    document.head.append(link);
    const before = link.outerHTML;
    await ensureStyles([TWO]);
    render(<View assets={[TWO]} />);
    expect(link.outerHTML).toBe(before);
    link.remove();
  },
);

test("a stylesheet whose view has 143 kB may take 46 s: 8 s, and 30 kbit/s", async () => {
  vi.useFakeTimers();
  vi.spyOn(document.head, "insertBefore").mockImplementationOnce((link) => link);
  const onFailure = vi.fn();
  ensureStyles([TWO], 143_000).catch(onFailure);
  await vi.advanceTimersByTimeAsync(46_132);
  expect(onFailure).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(onFailure).toHaveBeenCalledExactlyOnceWith(new Error(`the stylesheet ${TWO.href} took longer than 46133 ms`));
});

test("a stylesheet that fails to load is inserted again by the next load", async () => {
  vi.spyOn(document.head, "insertBefore").mockImplementationOnce((link) => {
    link.dispatchEvent(new Event("error"));
    return link;
  });
  await expect(ensureStyles([TWO])).rejects.toThrow("the stylesheet /assets/hello/1.0.0/two.css could not be loaded");
  await ensureStyles([TWO]);
  expect(elements()).toHaveLength(1);
});
