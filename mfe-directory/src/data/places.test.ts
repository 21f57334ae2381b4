import { describe, expect, it } from "vitest";

import { citiesOf, findPlace } from "./places";

describe("citiesOf", () => {
  it("returns the state's list", async () => {
    expect(await citiesOf("Delaware")).toContain("Dover");
    expect(await citiesOf("California")).toHaveLength(371);
  });

  it("removes duplicates, keeping the order", async () => {
    const table = { Ohio: () => Promise.resolve({ default: ["Akron", "Berea", "Akron", "Berea", "Canton"] }) };
    expect(await citiesOf("Ohio", table)).toEqual(["Akron", "Berea", "Canton"]);
  });

  it("returns an empty list without a table entry", async () => {
    expect(await citiesOf("Ohio", {})).toEqual([]);
  });
});

describe("findPlace", () => {
  it.each([
    { state: "Missouri", city: "O'Fallon" },
    { state: "Hawaii", city: "‘Ewa Beach" },
    { state: "Colorado", city: "Cañon City" },
  ])("finds $city, $state by its exact name", async (place) => {
    expect(await findPlace({ ...place })).toEqual(place);
  });

  it.each([
    { state: "Colorado", city: "Canon City" },
    { state: "Colorado", city: "cañon city" },
    // The same letters in another Unicode normalization form.
    { state: "Colorado", city: "Cañon City".normalize("NFD") },
    { state: "Ohio", city: "Birmingham" },
    { state: "Nowhere", city: "Birmingham" },
    { state: "Alabama" },
    { city: "Birmingham" },
    {},
  ])("returns undefined for %j", async (params) => {
    expect(await findPlace(params as Record<string, string>)).toBeUndefined();
  });
});
