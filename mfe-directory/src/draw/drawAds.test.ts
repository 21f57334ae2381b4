import { describe, expect, it } from "vitest";

import { fullSet, sampleAd } from "../testing/fakeAds";
import { drawAds, isDrawnList, MIN_ADS, MAX_ADS } from "./drawAds";
import { drawBelow, type DrawBelow } from "./random";

const ADS = fullSet(sampleAd);

// Draws `extra` first (ads beyond the minimum), then always the first remaining ad.
function drawing(extra: number): DrawBelow {
  let first = true;
  return () => {
    const drawn = first ? extra : 0;
    first = false;
    return drawn;
  };
}

// A seeded generator, so that the distribution test is deterministic.
function seeded(seed: number): DrawBelow {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

describe("drawAds", () => {
  it("returns 30 to 45 ads including the featured ones", () => {
    expect(drawAds(ADS, drawing(0))).toHaveLength(30);
    expect(drawAds(ADS, drawing(15))).toHaveLength(45);
  });

  it("draws the number uniformly from 16 values", () => {
    const bounds: number[] = [];
    drawAds(ADS, (bound) => {
      bounds.push(bound);
      return 0;
    });
    expect(bounds[0]).toBe(MAX_ADS - MIN_ADS + 1);
    expect(bounds.slice(1, 4)).toEqual([50, 49, 48]);
  });

  it("puts the featured ads first and repeats no ad", () => {
    for (let round = 0; round < 200; round += 1) {
      const ids = drawAds(ADS, drawBelow);
      expect(ids.slice(0, 2)).toEqual([9001, 9002]);
      expect(new Set(ids).size).toBe(ids.length);
      expect(isDrawnList(ids, ADS)).toBe(true);
    }
  });

  it("draws lengths and ads with a uniform distribution", () => {
    const rounds = 16_000;
    const lengths = new Map<number, number>();
    const regular = new Map<number, number>();
    const below = seeded(20260131);
    for (let round = 0; round < rounds; round += 1) {
      const ids = drawAds(ADS, below);
      lengths.set(ids.length, (lengths.get(ids.length) ?? 0) + 1);
      for (const id of ids.slice(2)) regular.set(id, (regular.get(id) ?? 0) + 1);
    }
    expect([...lengths.keys()].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => 30 + index));
    for (const count of lengths.values()) expect(Math.abs(count / (rounds / 16) - 1)).toBeLessThan(0.15);
    // 35.5 of 50 regular ads on average.
    expect(regular.size).toBe(50);
    for (const count of regular.values()) expect(Math.abs(count / (rounds * 0.71) - 1)).toBeLessThan(0.03);
  });

  it("returns all ads of a set that is too small", () => {
    const few = { featured: ADS.featured, regular: ADS.regular.slice(0, 3) };
    expect(drawAds(few, drawing(15))).toEqual([9001, 9002, 4251, 4252, 4253]);
  });
});

describe("isDrawnList", () => {
  const drawn = drawAds(ADS, drawing(0));

  it("accepts a drawn list", () => {
    expect(isDrawnList(drawn, ADS)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["an object", { length: 30 }],
    ["an empty list", []],
    ["a list that is too short", drawn.slice(0, 29)],
    ["a list that is too long", [...ADS.featured, ...ADS.regular].slice(0, 46).map((ad) => ad.id)],
    ["a list with a duplicate", [...drawn.slice(0, 29), drawn[28]]],
    ["a list with an unknown ad", [...drawn.slice(0, 29), 1]],
    ["a list with a string", [...drawn.slice(0, 29), "4290"]],
    ["a list with a fraction", [...drawn.slice(0, 29), 4290.5]],
    ["a list without the featured ads", ADS.regular.slice(0, 30).map((ad) => ad.id)],
    ["a list with the featured ads in another order", [9002, 9001, ...drawn.slice(2)]],
  ])("rejects %s", (_, value) => {
    expect(isDrawnList(value, ADS)).toBe(false);
  });
});
