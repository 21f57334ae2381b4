import { expect, it } from "vitest";

import { cityAt } from "./cityAt";

const DOTS = [
  { city: "Los Angeles", x: 100, y: 100 },
  { city: "Lompoc", x: 60, y: 98 },
];
// To the left of its dot, over the other one.
const NAMES = [{ city: "Los Angeles", box: { left: 10, top: 93, width: 82, height: 14 } }];

it.each([
  ["a name, before the dot below it", { x: 60, y: 98 }, "Los Angeles"],
  ["the nearest dot beside the names", { x: 64, y: 80 }, "Lompoc"],
  ["no city out of reach", { x: 60, y: 60 }, undefined],
])("cityAt_point_is_%s", (_, point, city) => {
  expect(cityAt(point, DOTS, NAMES, 24)).toBe(city);
});
