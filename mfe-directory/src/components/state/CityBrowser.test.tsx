import { inShell } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { useLayoutEffect } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { State } from "../../data/states";
import { hydrate, renderOnServer } from "../../testing/server";
import { CityBrowser } from "./CityBrowser";

const CITIES = ["Kīhei", "St. Louis", "St. Paul", "Wilkes-Barre", "‘Ewa Beach"];
const OHIO: State = { name: "Ohio", code: "OH", cityCount: 5, header: "menu" };
const BROWSER = <CityBrowser state={OHIO} cities={CITIES} rowText="Browse Escorts" />;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("matchMedia", () => ({ matches: false }));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  cleanup();
});

function type(query: string): void {
  fireEvent.change(screen.getByRole("searchbox", { name: "Filter cities" }), { target: { value: query } });
}

/** The cities of the list. Other links have no strong text. */
function shown(): string[] {
  return screen.getAllByRole("link").flatMap((link) => link.querySelector("strong")?.textContent ?? []);
}

function wait(ms: number): void {
  act(() => {
    vi.advanceTimersByTime(ms);
  });
}

function status(): string | null {
  return screen.getByRole("status").textContent;
}

describe("city filter", () => {
  it("shows all cities and no status before input", () => {
    render(inShell(BROWSER));
    wait(2000);
    expect(shown()).toEqual(CITIES);
    expect(screen.queryByRole("navigation")).toBeNull();
    expect(status()).toBe("");
  });

  it("filters immediately and announces the count after a pause", () => {
    render(inShell(BROWSER));
    type("saint");
    expect(shown()).toEqual(["St. Louis", "St. Paul"]);
    expect(status()).toBe("");
    wait(400);
    expect(status()).toBe("2 of 5 cities");
  });

  it("finds a name without diacritics", () => {
    render(inShell(BROWSER));
    type("kihei");
    expect(shown()).toEqual(["Kīhei"]);
  });

  it("announces immediately that nothing matches", () => {
    render(inShell(BROWSER));
    type("zzz");
    wait(0);
    expect(screen.queryAllByRole("link")).toEqual([]);
    expect(status()).toBe("No results: no city in Ohio matches “zzz”.");
  });

  it("shows all cities again when cleared", () => {
    render(inShell(BROWSER));
    type("zzz");
    type("");
    wait(400);
    expect(shown()).toEqual(CITIES);
    expect(status()).toBe("");
  });
});

describe("the first match", () => {
  const scrolled = vi.fn();
  beforeEach(() => {
    scrolled.mockClear();
    Element.prototype.scrollIntoView = scrolled;
  });

  it.each([
    ["on a phone", true, 1],
    ["on a wide screen", false, 0],
  ])("%s: scrolling into view is %s", (_, matches, times) => {
    vi.stubGlobal("matchMedia", () => ({ matches }));
    render(inShell(BROWSER));
    type("saint");
    expect(scrolled).toHaveBeenCalledTimes(times);
    // What is typed is kept for the page.
    type("");
  });
});

describe("city list without script", () => {
  it("has all cities and a disabled filter", () => {
    const host = renderOnServer(BROWSER);
    expect(host.querySelectorAll('a[href^="/city/"]')).toHaveLength(5);
    expect(host.querySelector("input")?.disabled).toBe(true);
  });

  it("can be filtered after hydration without a mismatch", () => {
    const { container, hydrationErrors } = hydrate(BROWSER);
    expect(hydrationErrors).toEqual([]);
    expect(container.querySelector("input")?.disabled).toBe(false);
    expect(container.querySelectorAll("li")).toHaveLength(5);
  });
});

describe("a long list", () => {
  const LONG_LIST = ["Aba", "Abb", "‘Ewa Beach", ...Array.from({ length: 60 }, (_, index) => `Z${String(index)}`)];
  const LONG_BROWSER = <CityBrowser state={OHIO} cities={LONG_LIST} rowText="Browse Escorts" />;

  it("is grouped by letter, with links to the groups", () => {
    render(inShell(LONG_BROWSER));
    expect(screen.getByRole("heading", { level: 2 }).textContent).toBe("All 63 cities");
    expect(screen.getAllByRole("heading", { level: 3 }).map((heading) => heading.textContent)).toEqual(["A", "E", "Z"]);
    const links = within(screen.getByRole("navigation", { name: "Cities by letter" })).getAllByRole("link");
    expect(links.map((link) => link.textContent)).toEqual(["A", "E", "Z"]);
    for (const link of links)
      expect(document.querySelector(link.getAttribute("href") ?? "")?.textContent).toBe(link.textContent);
  });

  it("hydrates after the filter", () => {
    let hydrated: readonly boolean[] = [];
    const Effect = (): null => {
      useLayoutEffect(() => {
        hydrated = ["input", 'a[href^="/city/"]'].map((selector) =>
          Object.keys(document.querySelector(selector) ?? {}).some((key) => key.startsWith("__reactProps$")),
        );
      }, []);
      return null;
    };
    const { hydrationErrors } = hydrate(
      <>
        {LONG_BROWSER}
        <Effect />
      </>,
    );
    expect(hydrationErrors).toEqual([]);
    expect(hydrated).toEqual([true, false]);
  });

  it("is a single list while filtered", () => {
    render(inShell(LONG_BROWSER));
    type("ab");
    expect(screen.queryAllByRole("heading", { level: 3 })).toEqual([]);
    expect(screen.queryByRole("navigation")).toBeNull();
    expect(shown()).toEqual(["Aba", "Abb"]);
  });

  it("is restored by the no-results button", () => {
    render(inShell(LONG_BROWSER));
    type("zzz");
    fireEvent.click(screen.getByRole("button", { name: "Show the whole list" }));
    expect(shown()).toHaveLength(LONG_LIST.length);
    expect(document.activeElement).toBe(screen.getByRole("searchbox", { name: "Filter cities" }));
  });
});
