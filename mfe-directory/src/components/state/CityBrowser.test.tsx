import { act, cleanup, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { fromServer, hydrated } from "../../testing/server";
import { CityBrowser } from "./CityBrowser";

const CITIES = ["Kīhei", "St. Louis", "St. Paul", "Wilkes-Barre", "‘Ewa Beach"];
const BROWSER = <CityBrowser state="Ohio" cities={CITIES} cardText="Browse Escorts" />;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  cleanup();
});

function type(query: string): void {
  fireEvent.change(screen.getByRole("searchbox", { name: "Filter cities" }), { target: { value: query } });
}

function shown(): (string | null | undefined)[] {
  return screen.getAllByRole("link").map((link) => link.querySelector("strong")?.textContent);
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
  it("shows all cities and says nothing before anything is typed", () => {
    render(BROWSER);
    wait(2000);
    expect(shown()).toEqual(CITIES);
    expect(status()).toBe("");
  });

  it("narrows the list at once and says how many are left after a pause", () => {
    render(BROWSER);
    type("saint");
    expect(shown()).toEqual(["St. Louis", "St. Paul"]);
    expect(status()).toBe("");
    wait(400);
    expect(status()).toBe("2 of 5 cities");
  });

  it("finds a name without its diacritics", () => {
    render(BROWSER);
    type("kihei");
    expect(shown()).toEqual(["Kīhei"]);
  });

  it("says in words and at once that nothing matches", () => {
    render(BROWSER);
    type("zzz");
    wait(0);
    expect(screen.queryAllByRole("link")).toEqual([]);
    expect(status()).toBe("No results: no city in Ohio matches “zzz”.");
  });

  it("shows all cities again when it is emptied", () => {
    render(BROWSER);
    type("zzz");
    type("");
    wait(400);
    expect(shown()).toEqual(CITIES);
    expect(status()).toBe("");
  });
});

describe("city list without script", () => {
  it("has all cities and no box that would do nothing", () => {
    const host = fromServer(BROWSER);
    expect(host.querySelectorAll('a[href^="/city/"]')).toHaveLength(5);
    expect(host.querySelector("input")).toBeNull();
  });

  it("gets its box when the page is hydrated, without a mismatch", () => {
    const { container, problems } = hydrated(BROWSER);
    expect(problems).toEqual([]);
    expect(container.querySelectorAll("input")).toHaveLength(1);
    expect(container.querySelectorAll("li")).toHaveLength(5);
  });
});
