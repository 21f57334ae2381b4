import { describe, expect, it, vi } from "vitest";

import { loadGeography } from "./geography";
import { citiesOf, findPlace } from "./places";

vi.mock("./geography", { spy: true });

describe("citiesOf", () => {
  it("returns the state's list", async () => {
    expect(await citiesOf("Delaware")).toContain("Dover");
    expect(await citiesOf("California")).toHaveLength(371);
  });

  it("removes duplicates, keeping the order", async () => {
    vi.mocked(loadGeography).mockResolvedValueOnce({ cities: ["Akron", "Berea", "Akron", "Berea", "Canton"] });
    expect(await citiesOf("Ohio")).toEqual(["Akron", "Berea", "Canton"]);
  });

  it.each(["Nowhere", "Aaa", "Zzz", "constructor", ""])("returns an empty list for %j", async (state) => {
    expect(await citiesOf(state)).toEqual([]);
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
