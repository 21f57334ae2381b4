import { matchPath } from "@colonnade/kit";
import { expect, it } from "vitest";

import section from "./section";

// Where a path ends before the ad's id: nothing is ever there.
const NO_AD = "/city/:state/:city/ad";

it("section serves home, states, cities and ads", () => {
  expect(section.name).toBe("directory");
  expect(Object.keys(section.pages)).toEqual([
    "/",
    "/state/:state",
    "/city/:state/:city",
    NO_AD,
    "/city/:state/:city/ad/:ad",
  ]);
  expect(section.slots).toBeUndefined();
});

it("every path a page names matches the page's own pattern", async () => {
  for (const [pattern, load] of Object.entries(section.pages)) {
    const paths = (await load()).page.paths?.() ?? [];
    expect(paths.length > 0, pattern).toBe(pattern !== NO_AD);
    expect(paths.filter((path) => matchPath(pattern, path) === null)).toEqual([]);
  }
});
