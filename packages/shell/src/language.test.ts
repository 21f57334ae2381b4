import { expect, test } from "vitest";

// The gateway's tests read the same table: both write the direction of a document.
import table from "../../../tests/tables/languages.json" with { type: "json" };
import { languageOf } from "./language.js";

test.each(table as [tag: string, direction: string][])("text in %s runs %s", (tag, direction) => {
  expect(languageOf(tag)?.direction).toBe(direction);
});

test.each([
  ["EN-us", "en-US"],
  ["zh-hant", "zh-Hant"],
  ["en_US", undefined],
  ["", undefined],
])("the canonical form of %j is %j", (tag, canonical) => {
  expect(languageOf(tag)?.tag).toBe(canonical);
});
