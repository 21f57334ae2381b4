import { cleanup, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

import type { Ad } from "../data/ad";
import { reviewedAd, sampleAd, verifiedAd } from "../testing/fakeAds";
import { renderExisting, textOf } from "../testing/page";

// Replaces the ads, and the city lists by those of two states, one of them empty.
const mocked = vi.hoisted(() => ({ ads: [] as Ad[] }));
vi.mock("../data/ads", () => ({
  get ALL_ADS() {
    return mocked.ads;
  },
}));
vi.mock("../data/geography/index", () => ({
  LOADERS: [
    [
      "Iowa",
      () => Promise.resolve({ default: { Iowa: { cities: [] }, Ohio: { cities: ["Akron", "Berea", "Akron"] } } }),
    ],
  ],
}));

beforeEach(() => {
  mocked.ads = [sampleAd(1)];
});
afterEach(cleanup);

it("state page with only verified ads has the verified wording", async () => {
  mocked.ads = [verifiedAd(1), verifiedAd(2)];
  const { container, head, layout } = await renderExisting("/state/Ohio");
  expect(head.title).toBe("Test Site - Verified Listings in Ohio");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Verified Escorts in Ohio");
  expect(screen.getByText("Browse verified escort profiles in 2 cities across Ohio")).toBeTruthy();
  expect(layout.footerNote).toBe("Verified escorts in Ohio - 18+ only");
  expect(textOf(container.querySelector('a[href^="/city/"]'))).toBe("Akron Ohio Browse Verified Escorts");
  expect(container.querySelector(".notice")).toBeNull();
});

it("state page's subtitle mentions recorded reviews", async () => {
  mocked.ads = [reviewedAd(1)];
  await renderExisting("/state/Ohio");
  expect(screen.getByText("Browse verified escort profiles with real reviews in 2 cities across Ohio")).toBeTruthy();
});

it("one sample among verified ads gives the sample wording", async () => {
  mocked.ads = [verifiedAd(1), sampleAd(2)];
  const { container } = await renderExisting("/state/Ohio");
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Escorts in Ohio");
  expect(textOf(container.querySelector(".notice"))).toContain("Ads with the 'Sample ad' badge are samples");
});

it("state page counts and shows a duplicate city once", async () => {
  const { container } = await renderExisting("/state/Ohio");
  expect(screen.getByText("Browse sample escort profiles in 2 cities across Ohio")).toBeTruthy();
  expect(container.querySelectorAll('a[href^="/city/"]')).toHaveLength(2);
});

it.each(["Iowa", "Texas"])("state page of %s without cities shows an empty list and 0", async (state) => {
  const { container, head } = await renderExisting(`/state/${state}`);
  expect(screen.getByRole("heading", { level: 1 }).textContent).toBe(`Escorts in ${state}`);
  expect(screen.getByText(`Browse sample escort profiles in 0 cities across ${state}`)).toBeTruthy();
  expect(head.social?.description).toContain("0 cities");
  expect(container.querySelectorAll('a[href^="/city/"]')).toHaveLength(0);
  expect(screen.getByText(`We don’t list any cities in ${state} yet.`)).toBeTruthy();
  expect(screen.queryByRole("searchbox")).toBeNull();
  expect(screen.getAllByText("Sample venue")).toHaveLength(8);
});
