import { expect, it } from "vitest";

import { STATES } from "./states";
import { shadeOf, SHADES, TILE_COLUMNS, TILES } from "./tiles";

it("each state has one tile", () => {
  expect(TILES.map(({ state }) => state.name).sort()).toEqual(STATES.map(({ name }) => name));
});

it("no two tiles share a place in the grid", () => {
  const places = TILES.map(({ column, row }) => `${String(column)}/${String(row)}`);
  expect(new Set(places).size).toBe(50);
  for (const { column } of TILES) {
    expect(Number.isInteger(column)).toBe(true);
    expect(column).toBeLessThan(TILE_COLUMNS);
  }
});

it("tiles are ordered row by row, so that CSS places them", () => {
  const order = TILES.map(({ column, row }) => row * TILE_COLUMNS + column);
  expect(order).toEqual(order.toSorted((one, other) => one - other));
});

it("neighbors are where they are on a map", () => {
  const tile = (code: string) => TILES.find(({ state }) => state.code === code) ?? { column: NaN, row: NaN };
  expect(tile("WA").row).toBeLessThan(tile("OR").row);
  expect(tile("OR").row).toBeLessThan(tile("CA").row);
  expect(tile("CA").column).toBeLessThan(tile("UT").column);
  expect(tile("FL").row).toBeGreaterThan(tile("GA").row);
  expect(tile("RI").column).toBeGreaterThan(tile("CT").column);
});

it("each shade has states, and the shade rises with the number of cities", () => {
  const shades = STATES.toSorted((one, other) => one.cityCount - other.cityCount).map(shadeOf);
  expect(shades).toEqual(shades.toSorted((one, other) => one - other));
  expect(new Set(shades).size).toBe(SHADES.length);
});
