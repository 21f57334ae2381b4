import { describe, expect, it } from "vitest";

import { readFrontmatter } from "./frontmatter";

const VALID = { title: "Title", description: "Description", card: "Card", icon: "map", sources: [{ label: "A book" }] };

describe("readFrontmatter", () => {
  it("complete front matter is returned as it is", () => {
    expect(readFrontmatter("a", VALID)).toEqual(VALID);
  });

  it.each([
    ["title", undefined, "text"],
    ["description", "  ", "text"],
    ["card", 7, "text"],
    ["icon", "rocket", "one of compass,"],
    ["sources", undefined, "a list"],
    ["sources", [{ label: 1 }], "a list"],
    ["sources", [null], "a list"],
    ["sources", [], "a list"],
    ["sources", [{ label: "A", url: "http://insecure.example" }], "https://"],
    ["sources", [{ label: "A", link: "https://misnamed.example" }], "a list"],
    ["tittle", "Title", "one of the keys title,"],
  ])("a wrong %s (%j) is refused with file, key and what was expected", (key, value, expected) => {
    const read = (): unknown => readFrontmatter("a-slug", { ...VALID, [key]: value });
    expect(read).toThrow(`content/a-slug.md: "${key}"`);
    expect(read).toThrow(expected);
  });
});
