import { expect, test } from "vitest";

// gateway/tests reads the same table: both write the direction of a document.
import table from "../../../tests/tables/languages.json" with { type: "json" };
import { directionOf } from "./language.js";

test.each(table)("text in %s runs %s", (tag, direction) => {
  expect(directionOf(tag)).toBe(direction);
});
