import { matchPath } from "@colonnade/kit";
import { expect, it } from "vitest";

import section from "./section";

it("section serves home, states, cities and ads", () => {
  expect(section.name).toBe("directory");
  expect(Object.keys(section.pages)).toEqual(["/", "/state/:state", "/city/:state/:city", "/city/:state/:city/ad/:ad"]);
  expect(section.slots).toBeUndefined();
});

it("every path a page names matches the page's own pattern", async () => {
  for (const [pattern, load] of Object.entries(section.pages)) {
    const paths = (await load()).page.paths?.() ?? [];
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => matchPath(pattern, path) === null)).toEqual([]);
  }
});
