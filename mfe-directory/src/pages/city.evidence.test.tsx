import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import { fullSet, verifiedAd } from "../testing/fakeAds";
import { renderExisting } from "../testing/page";

vi.mock("../data/ads", async (original) => {
  const set = fullSet(verifiedAd);
  return { ...(await original()), ADS: set, ALL_ADS: [...set.featured, ...set.regular] };
});

afterEach(cleanup);

it("city page with only verified ads has the verified title", async () => {
  const { container, head } = await renderExisting("/city/Ohio/Akron");
  expect(head.title).toBe("Test Site - Verified Listings in Akron, Ohio");
  expect(container.querySelectorAll("article").length).toBeGreaterThanOrEqual(30);
  expect(container.querySelector(".badge.sample, .notice")).toBeNull();
  expect(container.textContent).not.toMatch(/sample/i);
  const reasons = screen.getAllByRole("button").map((button) => button.closest("form")?.getAttribute("data-params"));
  expect(new Set(reasons)).toEqual(new Set(["reason=general"]));
});
