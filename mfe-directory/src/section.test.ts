import { matchPath } from "@colonnade/kit";
import { expect, it } from "vitest";

import section from "./section";

// The pattern of an ad path without an id, which is never found.
const MISSING_AD_ID = "/city/:state/:city/ad";

it("section serves home, states, cities, ads and search", () => {
  expect(section.name).toBe("directory");
  expect(Object.keys(section.pages)).toEqual([
    "/",
    "/state/:state",
    "/city/:state/:city",
    MISSING_AD_ID,
    "/city/:state/:city/ad/:ad",
  ]);
  expect(Object.keys(section.extensions ?? {})).toEqual(["shell/search@1"]);
});

it("every path of a page matches its pattern", async () => {
  for (const [pattern, load] of Object.entries(section.pages)) {
    const paths = (await load()).page.paths?.() ?? [];
    expect(paths.length > 0, pattern).toBe(pattern !== MISSING_AD_ID);
    expect(paths.filter((path) => matchPath(pattern, path) === null)).toEqual([]);
  }
});
