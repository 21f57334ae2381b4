import { describe, expect, it } from "vitest";

import { foldName, search, searchKey } from "./foldName";

describe("city filter", () => {
  it.each([
    ["Kīhei", "kihei"],
    ["‘Ewa Beach", "ewa beach"],
    ["Hawai‘i Kai", "hawaii kai"],
    ["La Cañada Flintridge", "la canada flintridge"],
    ["Coeur d'Alene", "coeur dalene"],
    ["Wilkes-Barre", "wilkes barre"],
    ["  Port   St. Lucie ", "port st lucie"],
  ])("folds %s to %s", (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });

  it.each([
    ["St. Louis", "st. louis"],
    ["St. Louis", "St Lou"],
    ["St. Louis", "saint louis"],
    ["St. Louis", "sai"],
    ["East St. Louis", "east saint"],
    ["Kīhei", "KIHEI"],
    ["Kihei", "kīhei"],
    ["‘Ewa Beach", "ewa"],
    ["O'Fallon", "ofallon"],
    ["O'Fallon", "O’Fallon"],
    ["Winston-Salem", "winston salem"],
    ["Akron", ""],
    ["Akron", "   "],
  ])("%s is found by '%s'", (name, query) => {
    expect(search([name], query, searchKey)).toEqual([name]);
  });

  it.each([
    ["Stamford", "saint"],
    ["Akron", "akrom"],
    ["St. Louis", "louis st"],
  ])("%s is not found by '%s'", (name, query) => {
    expect(search([name], query, searchKey)).toEqual([]);
  });

  it.each([
    ["san", ["Pleasanton", "West San Jose", "San Diego"], ["San Diego", "West San Jose", "Pleasanton"]],
    ["saint", ["East St. Louis", "St. Paul"], ["St. Paul", "East St. Louis"]],
    ["barre", ["Embarre", "Wilkes-Barre"], ["Wilkes-Barre", "Embarre"]],
    ["sai", ["Assair", "Port St. Lucie"], ["Port St. Lucie", "Assair"]],
    ["", ["Akron", "Lima"], ["Akron", "Lima"]],
  ])("'%s' ranks names and words that begin with it first", (query, names, found) => {
    expect(search(names, query, searchKey)).toEqual(found);
  });
});
