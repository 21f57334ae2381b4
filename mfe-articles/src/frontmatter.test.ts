import { describe, expect, it } from "vitest";

import { readFrontmatter } from "./frontmatter";

const VALID = {
  title: "Title",
  description: "Description",
  card: "Card",
  icon: "map",
  updated: "2026-02-28",
  checked: "2026-03-01",
  sources: [{ label: "A book" }],
};

describe("readFrontmatter", () => {
  it("valid front matter is returned unchanged", () => {
    expect(readFrontmatter("a", VALID)).toEqual(VALID);
  });

  it.each([
    ["title", undefined, "a non-empty string"],
    ["description", "  ", "a non-empty string"],
    ["card", 7, "a non-empty string"],
    ["icon", "rocket", "one of compass,"],
    ["updated", undefined, "a date"],
    ["updated", "2026-02-29", "a date"],
    ["checked", "March 2026", "a date"],
    ["sources", undefined, "a list"],
    ["sources", [{ label: 1 }], "a list"],
    ["sources", [null], "a list"],
    ["sources", [], "a list"],
    ["sources", [{ label: "A", url: "http://insecure.example" }], "https://"],
    ["sources", [{ label: "A", link: "https://misnamed.example" }], "a list"],
    ["tittle", "Title", "one of the keys title,"],
  ])("an invalid %s (%j) throws with file, key and expectation", (key, value, expected) => {
    const read = (): unknown => readFrontmatter("a-slug", { ...VALID, [key]: value });
    expect(read).toThrow(`content/a-slug.md: "${key}"`);
    expect(read).toThrow(expected);
  });
});
