import { expect, it } from "vitest";

import table from "../../data/us-cities.json";
import { CITY_TABLE } from "./cities";
import { citiesOf } from "./places";
import { findState, STATES } from "./states";

it("states are the 50 of the city table, in alphabetical order", () => {
  const names = STATES.map((state) => state.name);
  expect(names).toHaveLength(50);
  expect(names).toEqual([...names].sort());
  expect(names).toEqual(Object.keys(table).sort());
});

it("states ask for a menu but for three plain headers and one with a logo alone", () => {
  const others = STATES.filter((state) => state.header !== "menu").map(({ name, header }) => [name, header]);
  expect(others).toEqual([
    ["Alabama", "plain"],
    ["Alaska", "plain"],
    ["Arizona", "plain"],
    ["Oklahoma", "logo"],
  ]);
});

it.each(["new york", "New York ", "New%20York", "", "constructor", undefined])("no state is called %j", (name) => {
  expect(findState(name)).toBeUndefined();
});

it("each state's chunk holds what the city table says", async () => {
  for (const [state, cities] of Object.entries(table)) {
    expect((await CITY_TABLE[state]?.())?.default).toEqual(cities);
  }
});

it("each state's count is that of its list, without repeats", async () => {
  for (const { name, cityCount } of STATES) expect([name, (await citiesOf(name)).length]).toEqual([name, cityCount]);
});
