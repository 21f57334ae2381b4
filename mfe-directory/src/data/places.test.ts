import { describe, expect, it } from "vitest";

import { citiesOf, findPlace } from "./places";

describe("a state's cities", () => {
  it("come from the state's own list", async () => {
    expect(await citiesOf("Delaware")).toContain("Dover");
    expect(await citiesOf("California")).toHaveLength(371);
  });

  it("are named once each, in the order of their first place", async () => {
    const table = { Ohio: () => Promise.resolve({ default: ["Akron", "Berea", "Akron", "Berea", "Canton"] }) };
    expect(await citiesOf("Ohio", table)).toEqual(["Akron", "Berea", "Canton"]);
  });

  it("are none where the city table has no entry", async () => {
    expect(await citiesOf("Ohio", {})).toEqual([]);
  });
});

describe("finding a place", () => {
  it.each([
    { state: "Missouri", city: "O'Fallon" },
    { state: "Hawaii", city: "‘Ewa Beach" },
    { state: "Colorado", city: "Cañon City" },
  ])("$city, $state is found by its exact name", async (place) => {
    expect(await findPlace({ ...place })).toEqual(place);
  });

  it.each([
    { state: "Colorado", city: "Canon City" },
    { state: "Colorado", city: "cañon city" },
    // The same letters, composed otherwise.
    { state: "Colorado", city: "Cañon City".normalize("NFD") },
    { state: "Ohio", city: "Birmingham" },
    { state: "Nowhere", city: "Birmingham" },
    { state: "Alabama" },
    { city: "Birmingham" },
    {},
  ])("%j names no place", async (params) => {
    expect(await findPlace(params as Record<string, string>)).toBeUndefined();
  });
});
