// @vitest-environment happy-dom
import { beforeEach, describe, expect, it } from "vitest";

import { fullSet, sampleAd } from "../testing/madeUpAds";
import { isDrawnList } from "./drawAds";
import { keptList, storageKey } from "./keptList";
import { drawBelow } from "./random";

const ADS = fullSet(sampleAd);
const PLACE = { state: "Missouri", city: "St. Louis" };
const KEY = storageKey(PLACE);

function fault(): never {
  throw new DOMException("no", "SecurityError");
}

beforeEach(() => {
  sessionStorage.clear();
});

describe("a city's list in session storage", () => {
  it("is the same on the next visit", () => {
    const first = keptList(PLACE, ADS, drawBelow);
    expect(keptList(PLACE, ADS, () => fault())).toEqual(first);
  });

  it("is kept per state and city", () => {
    keptList(PLACE, ADS, drawBelow);
    keptList({ state: "Illinois", city: "St. Louis" }, ADS, drawBelow);
    keptList({ state: "Missouri", city: "St. Charles" }, ADS, drawBelow);
    expect(sessionStorage.length).toBe(3);
  });

  it.each([
    ["no JSON", "[9001,"],
    ["JSON of another kind", '{"a":1}'],
    ["a number", "7"],
    ["an empty text", ""],
    ["a list of unknown ads", "[1,2,3]"],
    ["a list that is too short", "[9001,9002,4251]"],
  ])("is drawn anew over %s", (_, rubbish) => {
    sessionStorage.setItem(KEY, rubbish);
    const drawn = keptList(PLACE, ADS, drawBelow);
    expect(isDrawnList(drawn, ADS)).toBe(true);
    expect(JSON.parse(sessionStorage.getItem(KEY) ?? "")).toEqual(drawn);
  });

  it("is drawn where the storage is denied", () => {
    expect(isDrawnList(keptList(PLACE, ADS, drawBelow, fault), ADS)).toBe(true);
  });

  it("is drawn where reading fails", () => {
    const storage = { getItem: fault, setItem: fault } as unknown as Storage;
    expect(
      isDrawnList(
        keptList(PLACE, ADS, drawBelow, () => storage),
        ADS,
      ),
    ).toBe(true);
  });

  it("is drawn where the storage is full", () => {
    const storage = { getItem: () => null, setItem: fault } as unknown as Storage;
    expect(
      isDrawnList(
        keptList(PLACE, ADS, drawBelow, () => storage),
        ADS,
      ),
    ).toBe(true);
  });
});
