import { describe, expect, it } from "vitest";

import content from "../../content/ads.json";
import { ART } from "../art";
import { ADS, ALL_ADS, findRegularAd } from "./ads";
import { checkAds } from "./checkAds";

describe("the bundled ads", () => {
  it("are valid", () => {
    expect(checkAds(content)).toEqual(ADS);
  });

  it("are 2 featured and 50 regular ads with the expected ids", () => {
    expect(ADS.featured.map((ad) => ad.id)).toEqual([9001, 9002]);
    expect(ADS.regular.map((ad) => ad.id)).toEqual(Array.from({ length: 50 }, (_, index) => 4251 + index));
  });

  it("are all samples without evidence records", () => {
    expect(ALL_ADS.filter((ad) => !ad.sample || "verification" in ad || "reviews" in ad)).toEqual([]);
  });

  it("have ages from 21 to 29", () => {
    expect(ALL_ADS.filter((ad) => ad.age < 21 || ad.age > 29)).toEqual([]);
  });

  it.each([
    [
      "contact details or prices",
      /@|https?:|www\.|\.com\b|\d{3}[\s.-]?\d{3,4}|[$€£]|\bdollars?\b|whatsapp|telegram|snapchat|instagram|text me/i,
    ],
    [
      "sexual services",
      /\b(rates?|donations?|roses|per hour|\d+ an hour|hourly|in-?call|out-?call|gfe|sex\w*|nud\w+|naked|erotic\w*|sensual\w*|massages?|fetish\w*|kink\w*|intimate|intimacy|lingerie|bed(room)?)\b/i,
    ],
  ])("contain no %s", (_, words) => {
    expect(ALL_ADS.filter((ad) => words.test(`${ad.title} ${ad.description}`))).toEqual([]);
  });

  it("have unique titles and texts", () => {
    expect(new Set(ALL_ADS.map((ad) => ad.title)).size).toBe(52);
    expect(new Set(ALL_ADS.map((ad) => ad.description)).size).toBe(52);
  });

  it("reference each existing picture once", () => {
    const names = ADS.featured.flatMap((ad) => ad.photos ?? []);
    expect(names).toHaveLength(4);
    expect([...names].sort()).toEqual(Object.keys(ART).sort());
    expect(new Set(names.map((name) => ART[name])).size).toBe(4);
  });
});

describe("findRegularAd", () => {
  it.each([
    ["4251", 4251],
    ["04251", 4251],
    ["4300", 4300],
  ])("finds '%s' as ad %i", (id, found) => {
    expect(findRegularAd(id)?.id).toBe(found);
  });

  it.each([
    "9001",
    "9002",
    "0",
    "4250",
    "4301",
    "4251.0",
    "4251x",
    "4251e0",
    "constructor",
    "4251 ",
    "+4251",
    "-4251",
    "4.251e3",
    "0x109b",
    "abc",
    "٤٢٥١",
    "9".repeat(400),
    "",
  ])("returns undefined for '%s'", (id) => {
    expect(findRegularAd(id)).toBeUndefined();
  });

  it("treats a missing id as 0", () => {
    expect(findRegularAd(undefined)).toBeUndefined();
    const [ad] = ADS.regular;
    const withZero = { featured: [], regular: ad ? [{ ...ad, id: 0 }] : [] };
    expect(findRegularAd(undefined, withZero)?.id).toBe(0);
  });
});
