// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { fullSet, sampleAd } from "../testing/fakeAds";
import { isDrawnList } from "./drawAds";
import { loadOrDrawAds, storageKey } from "./sessionAds";
import { drawBelow } from "./random";

const ADS = fullSet(sampleAd);
const PLACE = { state: "Missouri", city: "St. Louis" };
const KEY = storageKey(PLACE);

function throwSecurityError(): never {
  throw new DOMException("no", "SecurityError");
}

beforeEach(() => {
  sessionStorage.clear();
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a city's list in session storage", () => {
  it("is the same on the next page view", () => {
    const first = loadOrDrawAds(PLACE, ADS, drawBelow);
    const draw = vi.fn(drawBelow);
    expect(loadOrDrawAds(PLACE, ADS, draw)).toEqual(first);
    expect(draw).not.toHaveBeenCalled();
  });

  it("is stored per state and city", () => {
    loadOrDrawAds(PLACE, ADS, drawBelow);
    loadOrDrawAds({ state: "Illinois", city: "St. Louis" }, ADS, drawBelow);
    loadOrDrawAds({ state: "Missouri", city: "St. Charles" }, ADS, drawBelow);
    expect(sessionStorage.length).toBe(3);
  });

  it.each([
    ["invalid JSON", "[9001,"],
    ["an empty string", ""],
    ["not a drawn list", "[1,2,3]"],
  ])("is drawn again if the stored value is %s", (_, invalid) => {
    sessionStorage.setItem(KEY, invalid);
    const drawn = loadOrDrawAds(PLACE, ADS, drawBelow);
    expect(isDrawnList(drawn, ADS)).toBe(true);
    expect(JSON.parse(sessionStorage.getItem(KEY) ?? "")).toEqual(drawn);
  });

  it.each([
    ["denied", throwSecurityError],
    ["unreadable", () => ({ getItem: throwSecurityError, setItem: throwSecurityError })],
    ["full", () => ({ getItem: () => null, setItem: throwSecurityError })],
  ])("is drawn when storage is %s", (_, storage) => {
    vi.spyOn(globalThis, "sessionStorage", "get").mockImplementation(storage as unknown as () => Storage);
    expect(isDrawnList(loadOrDrawAds(PLACE, ADS, drawBelow), ADS)).toBe(true);
  });
});
