import { inShell } from "@colonnade/kit/testing";
import { act, cleanup, fireEvent, render, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ADS } from "../../data/ads";
import { storageKey } from "../../draw/sessionAds";
import { hydrate, renderOnServer } from "../../testing/server";
import { CityAds } from "./CityAds";

const PLACE = { state: "Missouri", city: "O'Fallon" };

function titles(container: Element): (string | null)[] {
  return [...container.querySelectorAll("article h3")].map((heading) => heading.textContent);
}

beforeEach(() => {
  sessionStorage.clear();
  // The selection is in the history entry.
  history.replaceState(null, "");
});
afterEach(() => {
  vi.restoreAllMocks();
  cleanup();
});

describe("a city's ads in the browser", () => {
  it("are 30 to 45 without repeats, the two featured ones first", () => {
    const { container } = render(inShell(<CityAds place={PLACE} />));
    const shown = titles(container);
    expect(shown.length).toBeGreaterThanOrEqual(30);
    expect(shown.length).toBeLessThanOrEqual(45);
    expect(shown.slice(0, 2)).toEqual(ADS.featured.map((ad) => ad.title));
    expect(new Set(shown).size).toBe(shown.length);
    expect(container.textContent).not.toContain("Loading ads...");
  });

  it("are the same after a reload", () => {
    const first = titles(render(inShell(<CityAds place={PLACE} />)).container);
    cleanup();
    expect(titles(render(inShell(<CityAds place={PLACE} />)).container)).toEqual(first);
    expect(JSON.parse(sessionStorage.getItem(storageKey(PLACE)) ?? "")).toHaveLength(first.length);
  });

  it("change with the city", () => {
    const { container, rerender } = render(inShell(<CityAds place={PLACE} />));
    const first = titles(container);
    rerender(inShell(<CityAds place={{ state: "Missouri", city: "St. Louis" }} />));
    expect(sessionStorage.length).toBe(2);
    rerender(inShell(<CityAds place={PLACE} />));
    expect(titles(container)).toEqual(first);
  });

  it("are drawn when the browser denies storage", () => {
    const denied = vi.spyOn(globalThis, "sessionStorage", "get").mockImplementation(() => {
      throw new DOMException("no", "SecurityError");
    });
    expect(titles(render(inShell(<CityAds place={PLACE} />)).container).length).toBeGreaterThanOrEqual(30);
    expect(denied).toHaveBeenCalled();
  });
});

describe("the form of the regular ads", () => {
  const ads = (): HTMLElement[] =>
    within(screen.getByRole("region", { name: /^All other ads/ })).queryAllByRole("article");
  const ages = (): number[] =>
    ads().map((ad) =>
      Number(
        within(ad)
          .getByText(/^Age \d\d$/)
          .textContent.slice(-2),
      ),
    );
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** What is announced after a pause. */
  function announced(): string | null {
    act(() => {
      vi.advanceTimersByTime(400);
    });
    return screen.getByRole("status").textContent;
  }

  function select(label: string, value: string): void {
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
  }

  it("filters by age and sorts", () => {
    render(inShell(<CityAds place={PLACE} />));
    const total = ads().length;
    select("Age", "24-26");
    expect(ages().filter((age) => age < 24 || age > 26)).toEqual([]);
    expect(announced()).toBe(`${String(ads().length)} of ${String(total)} ads`);
    select("Age", "");
    expect(ads()).toHaveLength(total);
    select("Sort", "oldest");
    expect(ages()).toEqual(ages().toSorted((one, other) => other - one));
  });

  it("can be undone if no ad matches, and keeps the featured ads", () => {
    render(inShell(<CityAds place={PLACE} />));
    select("Keyword", "zzz");
    expect(ads()).toEqual([]);
    expect(announced()).toBe("No ads match.");
    expect(within(screen.getByRole("region", { name: /^Featured/ })).getAllByRole("article")).toHaveLength(2);
    fireEvent.click(screen.getByRole("button", { name: "Show all ads" }));
    expect(ads()).not.toEqual([]);
    expect(screen.getByLabelText("Keyword")).toBe(document.activeElement);
  });
});

describe("a city's ads from the server", () => {
  it("have a loading state, and ads in noscript", () => {
    const host = renderOnServer(<CityAds place={PLACE} />);
    const fallback = host.querySelector("noscript");
    const listed = [...ADS.featured, ...ADS.regular.slice(0, 28)];
    expect(fallback && titles(fallback)).toEqual(listed.map((ad) => ad.title));
    expect(fallback?.querySelectorAll(".badge.sample")).toHaveLength(30);
    fallback?.remove();
    expect(host.textContent).toBe("Loading ads...");
  });

  it("are the same in every render", () => {
    const once = renderOnServer(<CityAds place={PLACE} />);
    expect(renderOnServer(<CityAds place={PLACE} />).isEqualNode(once)).toBe(true);
    expect(sessionStorage.length).toBe(0);
  });

  it("are replaced by the drawn list without a mismatch", () => {
    const { container, hydrationErrors } = hydrate(<CityAds place={PLACE} />);
    expect(hydrationErrors).toEqual([]);
    expect(titles(container).length).toBeGreaterThanOrEqual(30);
    expect(container.querySelector("noscript")).toBeNull();
  });
});
