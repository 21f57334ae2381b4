import { cleanup, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";

import { fullSet, verifiedAd } from "../testing/madeUpAds";
import { show } from "../testing/show";

vi.mock("../data/ads", async (original) => {
  const set = fullSet(verifiedAd);
  return { ...(await original()), ADS: set, ALL_ADS: [...set.featured, ...set.regular] };
});

afterEach(cleanup);

it("city page with verified ads alone has the verified title, no sample badge and no sample line", async () => {
  const { container, head } = await show("/city/Ohio/Akron");
  expect(head.title).toBe("Test Directory - Verified Listings in Akron, Ohio");
  expect(container.querySelectorAll("article").length).toBeGreaterThanOrEqual(30);
  expect(container.querySelector(".badge.sample, .notice")).toBeNull();
  expect(container.textContent).not.toMatch(/sample/i);
  const reasons = screen.getAllByRole("button").map((button) => button.closest("form")?.getAttribute("data-join"));
  expect(new Set(reasons)).toEqual(new Set(["general"]));
});
