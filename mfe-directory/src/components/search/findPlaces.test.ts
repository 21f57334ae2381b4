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
    ["mi", ["Michigan", "Minnesota", "Missouri", "Mississippi"]],
    ["me", ["Maine", "New Mexico"]],
    // The state with more cities comes first.
    ["new", ["New York", "New Jersey", "New Mexico", "New Hampshire"]],
    ["York", ["New York"]],
    ["virginia", ["Virginia", "West Virginia"]],
    ["", []],
    ["zzz", []],
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
    ["ny city", "New York, New York"],
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
    ["illinois springfield", "Springfield, Illinois"],
    ["tx austin", "Austin, Texas"],
    ["austin 78701", "Austin, Texas"],
    ["78701 austin", "Austin, Texas"],
    ["Austin, TX 78701", "Austin, Texas"],
    // Puerto Rico has another one, and its code is the start of a name.
    ["san juan", "San Juan, Texas"],
    ["pr", "Providence, Rhode Island"],
  ])("'%s' finds %s first", (query, city) => {
    expect(citiesFor(query)[0]).toBe(city);
  });

  it.each(["", " ", "zzz", "TX"])("'%s' finds none", (query) => {
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

describe("misspelled names", () => {
  it.each([
    ["Albequerque", "Albuquerque, New Mexico"],
    ["Cincinatti", "Cincinnati, Ohio"],
    ["Philadelpia", "Philadelphia, Pennsylvania"],
    ["sanfrancisco", "San Francisco, California"],
    ["ortland", "Portland, Oregon"],
    ["albequerque nm", "Albuquerque, New Mexico"],
    ["Cincinatti, Ohio", "Cincinnati, Ohio"],
    ["St Louise", "St. Louis, Missouri"],
    ["marine", "Marina, California"],
    // Exchanged letters count once.
    ["Tuscon", "Tucson, Arizona"],
    ["Tuscon az", "Tucson, Arizona"],
    ["detriot mi", "Detroit, Michigan"],
    ["la corsse", "La Crosse, Wisconsin"],
    ["mi detriot", "Detroit, Michigan"],
    ["portland orgeon", "Portland, Oregon"],
    ["springfield illnois", "Springfield, Illinois"],
    ["orgeon portland", "Portland, Oregon"],
    // Words after the state name nothing.
    ["portland, me, usa", "Portland, Maine"],
    ["springfield il usa", "Springfield, Illinois"],
    ["austin, texas, usa", "Austin, Texas"],
    ["springfield, illinois, united states", "Springfield, Illinois"],
    ["portlnad me airport", "Portland, Maine"],
    ["charleston west virginia usa", "Charleston, West Virginia"],
    // The words after the name name nothing.
    ["austin foo", "Austin, Texas"],
    ["seattle mariners", "Seattle, Washington"],
    ["new york mets", "New York, New York"],
    ["st. paul foo mn", "St. Paul, Minnesota"],
  ])("'%s' is similar to %s", (query, city) => {
    expect(find(query).similar).toBe(true);
    expect(citiesFor(query)[0]).toBe(city);
  });

  it("are similar to the largest cities of the name", () => {
    expect(citiesFor("Springfeild")).toEqual([
      "Springfield, Massachusetts",
      "Springfield, Missouri",
      "Springfield, Illinois",
    ]);
  });

  it.each([
    ["Californa", "California"],
    ["pensylvania", "Pennsylvania"],
  ])("'%s' is similar to %s", (query, state) => {
    expect(statesFor(query)).toEqual([state]);
  });

  it.each(["zzz", "nyx", "marfa", "marfa tx", "tx marfa", "long island", "st thomas mo", "hurbank"])(
    "'%s' is similar to none",
    (query) => {
      expect(find(query)).toMatchObject({ states: [], cities: [] });
    },
  );
});

describe("a place without a page", () => {
  it.each([
    ["DC", "Washington, D.C., has no page here."],
    ["D.C.", "Washington, D.C., has no page here."],
    ["washington d.c.", "Washington, D.C., has no page here."],
    ["District of Columbia", "Washington, D.C., has no page here."],
    ["Puerto Rico", "Puerto Rico has no page here."],
    ["San Juan, PR", "Puerto Rico has no page here."],
    ["Guam", "Guam has no page here."],
    ["Virgin Islands", "The U.S. Virgin Islands have no page here."],
    ["U.S. Virgin Islands", "The U.S. Virgin Islands have no page here."],
    ["usvi", "The U.S. Virgin Islands have no page here."],
    ["St. Thomas", "The U.S. Virgin Islands have no page here."],
    ["saint croix, vi", "The U.S. Virgin Islands have no page here."],
    ["american samoa", "American Samoa has no page here."],
    ["northern mariana islands", "The Northern Mariana Islands have no page here."],
    ["1234", "ZIP codes can’t be searched here. Type the name of a city or a state."],
    ["90210", "ZIP codes can’t be searched here. Type the name of a city or a state."],
    ["90210-1234", "ZIP codes can’t be searched here. Type the name of a city or a state."],
  ])("'%s' says why", (query, note) => {
    expect(find(query)).toEqual({ states: [], cities: [], cityCount: 0, citiesFirst: false, note });
  });

  it.each(["washington", "zzz", ""])("'%s' has no reason", (query) => {
    expect(find(query).note).toBeUndefined();
  });

  it.each([
    ["Marfa, TX", "Texas"],
    ["marfa texas", "Texas"],
    ["texas marfa", "Texas"],
    ["west virginia foo", "West Virginia"],
    // A code before the name may be a word.
    ["la jolla", undefined],
    ["in town", undefined],
    ["me myself", undefined],
    ["marfa 79843 tx", "Texas"],
    ["marfa", undefined],
  ])("'%s' is near %s", (query, state) => {
    expect(find(query).near?.name).toBe(state);
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
