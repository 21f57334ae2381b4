import { expect, it } from "vitest";

import table from "../../data/us-cities.json";
import { citiesOf } from "./places";
import { findState, STATES } from "./states";

it("STATES contains the city table's 50 states in order", () => {
  const names = STATES.map((state) => state.name);
  expect(names).toHaveLength(50);
  expect(names).toEqual([...names].sort());
  expect(names).toEqual(Object.keys(table).sort());
});

it("all states but four have the menu header", () => {
  const others = STATES.filter((state) => state.header !== "menu").map(({ name, header }) => [name, header]);
  expect(others).toEqual([
    ["Alabama", "plain"],
    ["Alaska", "plain"],
    ["Arizona", "plain"],
    ["Oklahoma", "logo"],
  ]);
});

it.each(["new york", "New York ", "New%20York", "", "constructor", undefined])(
  "findState returns undefined for %j",
  (name) => {
    expect(findState(name)).toBeUndefined();
  },
);

it("citiesOf returns each state's list of the city table", async () => {
  for (const [state, cities] of Object.entries(table)) expect(await citiesOf(state)).toEqual(cities);
});

it("each cityCount matches the state's list", async () => {
  for (const { name, cityCount } of STATES) expect([name, (await citiesOf(name)).length]).toEqual([name, cityCount]);
});
