import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";

import { parseCityIndex } from "../../data/cityIndex";
import { findPlaces, MAX_CITIES, toSearchedCities } from "./findPlaces";

const INDEX = path.join(import.meta.dirname, "../../data/cityIndex.txt");
const CITIES = toSearchedCities(parseCityIndex(await readFile(INDEX, "utf8")));

const find = (query: string): ReturnType<typeof findPlaces> => findPlaces(query, CITIES);
const statesFor = (query: string): string[] => find(query).states.map(({ name }) => name);
const citiesFor = (query: string): string[] => find(query).cities.map(({ city, state }) => `${city}, ${state}`);

describe("states", () => {
  it.each([
    ["TX", ["Texas"]],
    ["tx", ["Texas"]],
    ["tex", ["Texas"]],
    [" Texas ", ["Texas"]],
    // The postal code comes first.
    ["mi", ["Michigan", "Minnesota", "Mississippi", "Missouri"]],
    ["me", ["Maine", "New Mexico"]],
    ["new", ["New Hampshire", "New Jersey", "New Mexico", "New York"]],
    ["York", ["New York"]],
    ["virginia", ["Virginia", "West Virginia"]],
    ["", []],
    ["zzz", []],
    ["exas", []],
  ])("'%s' finds %j", (query, states) => {
    expect(statesFor(query)).toEqual(states);
  });

  it("are found without the index", () => {
    expect(findPlaces("TX", []).states.map(({ name }) => name)).toEqual(["Texas"]);
  });
});

describe("cities", () => {
  it.each([
    ["NYC", "New York, New York"],
    ["L.A.", "Los Angeles, California"],
    ["philly", "Philadelphia, Pennsylvania"],
    ["new york city", "New York, New York"],
    ["New York City, NY", "New York, New York"],
    ["n las vegas", "North Las Vegas, Nevada"],
    ["N. Las Vegas, NV", "North Las Vegas, Nevada"],
    ["W. Hollywood", "West Hollywood, California"],
  ])("'%s' finds %s first", (query, city) => {
    expect(citiesFor(query)[0]).toBe(city);
  });

  it.each([
    ["Los Angeles", "Los Angeles, California"],
    ["los", "Los Angeles, California"],
    ["austin tex", "Austin, Texas"],
    ["Los Angeles, CA", "Los Angeles, California"],
    ["los angeles california", "Los Angeles, California"],
    ["san f ca", "San Francisco, California"],
    ["kansas city ks", "Kansas City, Kansas"],
    ["portland", "Portland, Oregon"],
    ["portland me", "Portland, Maine"],
    ["portland m", "Portland, Maine"],
    // The start of a longer name comes before a city in Wisconsin.
    ["fort w", "Fort Worth, Texas"],
    ["ft worth", "Fort Worth, Texas"],
    ["saint louis", "St. Louis, Missouri"],
    ["st louis mo", "St. Louis, Missouri"],
    ["kihei", "Kīhei, Hawaii"],
    ["‘ewa beach", "‘Ewa Beach, Hawaii"],
    ["ewa hi", "‘Ewa Beach, Hawaii"],
    ["Canon City", "Cañon City, Colorado"],
    ["vegas", "Las Vegas, Nevada"],
    ["winston-salem nc", "Winston-Salem, North Carolina"],
    ["ofallon mo", "O'Fallon, Missouri"],
  ])("'%s' finds %s first", (query, city) => {
    expect(citiesFor(query)[0]).toBe(city);
  });

  it.each(["", " ", "zzz", "austin zzz", "ortland", "TX"])("'%s' finds none", (query) => {
    expect(citiesFor(query)).toEqual([]);
  });

  it("are preferred with the name as typed", () => {
    expect(citiesFor("jersey city")[0]).toBe("Jersey City, New Jersey");
    expect(find("new york city")).toMatchObject({ states: [], citiesFirst: true });
  });

  it("are limited, with the number of all", () => {
    const { cities, cityCount } = find("san");
    expect(cities).toHaveLength(MAX_CITIES);
    expect(cityCount).toBeGreaterThan(MAX_CITIES);
  });
});

describe("a place without a page", () => {
  it.each(["DC", "D.C.", "Washington, DC", "washington d.c.", "District of Columbia"])("'%s' is named", (query) => {
    expect(find(query)).toEqual({
      states: [],
      cities: [],
      cityCount: 0,
      citiesFirst: false,
      unlisted: "Washington, D.C.,",
    });
  });

  it.each(["washington", "zzz", ""])("'%s' names none", (query) => {
    expect(find(query).unlisted).toBeUndefined();
  });
});

describe("the group with the better match comes first", () => {
  it.each([
    ["york", true],
    ["new york", false],
    ["virginia", false],
    ["virginia b", true],
    ["new", false],
  ])("'%s': cities first is %s", (query, citiesFirst) => {
    expect(find(query).citiesFirst).toBe(citiesFirst);
  });
});
