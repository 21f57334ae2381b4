import { expect, test } from "vitest";

import { anchorOf, textOf } from "./anchors.js";

function Fact(): string {
  return "unknown";
}

test("textOf collects text at any depth, rendering no component", () => {
  expect(
    textOf(
      <p>
        One <b>and {2}</b>
        {null} <Fact />
      </p>,
    ),
  ).toBe("One and 2 ");
});

test.each([
  ["Money scams", "money-scams"],
  ["Section 230 (1996)", "section-230-1996"],
  ["2025–26: Paxton, TAKE IT DOWN", "2025-26-paxton-take-it-down"],
  ['What "top" means', "what-top-means"],
])("anchorOf(%j) is %s", (heading, anchor) => {
  expect(anchorOf(heading)).toBe(anchor);
});
