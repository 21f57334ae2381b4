import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Ad } from "../data/ad";
import { reviewedAd, sampleAd, verifiedAd } from "../testing/madeUpAds";
import { show, textOf } from "../testing/show";

// Other ads, and other cities: two states in the table, one of them empty.
const made = vi.hoisted(() => ({ ads: [] as Ad[] }));
vi.mock("../data/ads", () => ({
  get ALL_ADS() {
    return made.ads;
  },
}));
vi.mock("../data/cities", () => ({
  CITY_TABLE: {
    Ohio: () => Promise.resolve({ default: ["Akron", "Berea", "Akron"] }),
    Iowa: () => Promise.resolve({ default: [] }),
  },
}));

beforeEach(() => {
  made.ads = [sampleAd(1)];
});
afterEach(cleanup);

it("state page with verified ads alone has the verified wording", async () => {
  made.ads = [verifiedAd(1), verifiedAd(2)];
  const { container, head, layout } = await show("/state/Ohio");
  expect(head.title).toBe("Test Directory - Verified Listings in Ohio");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Verified Escorts in Ohio");
  expect(screen.getByText("Browse verified escort profiles in 2 cities across Ohio")).toBeTruthy();
  expect(layout.footerNote).toBe("Verified escorts in Ohio - 18+ only");
  expect(textOf(container.querySelector('a[href^="/city/"]'))).toBe("Akron Ohio Browse Verified Escorts");
  expect(container.querySelector(".notice")).toBeNull();
});

it("state page with recorded reviews says so in its line", async () => {
  made.ads = [reviewedAd(1)];
  await show("/state/Ohio");
  expect(screen.getByText("Browse verified escort profiles with real reviews in 2 cities across Ohio")).toBeTruthy();
});

it("state page with one sample among verified ads has the sample wording and the line", async () => {
  made.ads = [verifiedAd(1), sampleAd(2)];
  const { container } = await show("/state/Ohio");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Escorts in Ohio");
  expect(textOf(container.querySelector(".notice"))).toContain("Listings with the badge 'Sample ad' are samples");
});

it("state page counts and shows a repeated city once", async () => {
  const { container } = await show("/state/Ohio");
  expect(screen.getByText("Browse sample escort profiles in 2 cities across Ohio")).toBeTruthy();
  expect(container.querySelectorAll('a[href^="/city/"]')).toHaveLength(2);
});

it.each(["Iowa", "Texas"])("state page of %s without cities shows an empty list and a count of 0", async (state) => {
  const { container, head } = await show(`/state/${state}`);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(`Escorts in ${state}`);
  expect(screen.getByText(`Browse sample escort profiles in 0 cities across ${state}`)).toBeTruthy();
  expect(head.social?.description).toContain("0 cities");
  expect(container.querySelectorAll('a[href^="/city/"]')).toHaveLength(0);
  expect(screen.getByText(`No cities of ${state} are listed yet.`)).toBeTruthy();
  expect(screen.queryByRole("searchbox")).toBeNull();
  expect(screen.getAllByText("Sample venue")).toHaveLength(8);
});
