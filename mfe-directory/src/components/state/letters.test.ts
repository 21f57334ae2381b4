import { expect, it } from "vitest";

import { groupByLetter } from "./letters";

it("cities are grouped by the letter that their names are looked up by", () => {
  expect(groupByLetter(["Aiea", "Éclair", "‘Ewa Beach", "Ewa Gentry", "Ōla", "O'Fallon"])).toEqual([
    { letter: "A", cities: ["Aiea"] },
    { letter: "E", cities: ["Éclair", "‘Ewa Beach", "Ewa Gentry"] },
    { letter: "O", cities: ["Ōla", "O'Fallon"] },
  ]);
});

it("no cities make no groups", () => {
  expect(groupByLetter([])).toEqual([]);
});
