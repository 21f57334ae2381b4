import { expect, it } from "vitest";

import { groupByLetter } from "./letters";

it("groupByLetter groups cities by folded first letter", () => {
  expect(groupByLetter(["Aiea", "Éclair", "‘Ewa Beach", "Ewa Gentry", "Ōla", "O'Fallon"])).toEqual([
    { letter: "A", cities: ["Aiea"] },
    { letter: "E", cities: ["Éclair", "‘Ewa Beach", "Ewa Gentry"] },
    { letter: "O", cities: ["Ōla", "O'Fallon"] },
  ]);
});

it("groupByLetter returns no groups for no cities", () => {
  expect(groupByLetter([])).toEqual([]);
});
