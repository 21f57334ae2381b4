import { describe, expect, it } from "vitest";

import { ALL_ADS } from "../data/ads";
import { placedAd, reviewedAd, sampleAd, verifiedAd } from "../testing/fakeAds";
import { evidenceOf, sampleNotice, wordingFor, type Wording } from "./wording";

function textsOf(wording: Wording): string[] {
  return [
    wording.stateTitle("Brand", "Ohio"),
    wording.stateHeading("Ohio"),
    wording.stateSubtitle("Ohio", 7),
    wording.stateFooterNote("Ohio"),
    wording.cityRow,
  ];
}

const SAMPLE_TEXTS = [
  "Brand - Listings in Ohio",
  "Escorts in Ohio",
  "Browse sample escort profiles in 7 cities across Ohio",
  "Escorts in Ohio - 18+ only",
  "Browse Escorts",
];

const VERIFIED_TEXTS = [
  "Brand - Verified Listings in Ohio",
  "Verified Escorts in Ohio",
  "Browse verified escort profiles in 7 cities across Ohio",
  "Verified escorts in Ohio - 18+ only",
  "Browse Verified Escorts",
];

describe("wording", () => {
  it("bundled ads get the sample wording", () => {
    expect(textsOf(wordingFor(evidenceOf(ALL_ADS)))).toEqual(SAMPLE_TEXTS);
  });

  it.each([
    ["no ads at all", []],
    ["samples", [sampleAd(1), sampleAd(2)]],
    ["one sample among verified ads", [verifiedAd(1), sampleAd(2)]],
    ["one placed ad without a record among verified ones", [verifiedAd(1), placedAd(2)]],
  ])("%s get the sample wording", (_, ads) => {
    expect(textsOf(wordingFor(evidenceOf(ads)))).toEqual(SAMPLE_TEXTS);
  });

  it("verified ads without recorded reviews claim no reviews", () => {
    expect(textsOf(wordingFor(evidenceOf([verifiedAd(1), verifiedAd(2)])))).toEqual(VERIFIED_TEXTS);
  });

  it("real reviews are claimed only if each ad has recorded ones", () => {
    const line = "Browse verified escort profiles with real reviews in 7 cities across Ohio";
    const lineFor = (...ads: Parameters<typeof evidenceOf>[0]) => wordingFor(evidenceOf(ads)).stateSubtitle("Ohio", 7);
    expect(lineFor(reviewedAd(1), reviewedAd(2))).toBe(line);
    expect(lineFor(reviewedAd(1), verifiedAd(2))).not.toContain("reviews");
  });

  it("reviewed and verified wording differ only in the subtitle", () => {
    const [title, heading, , note, card] = textsOf(wordingFor(evidenceOf([reviewedAd(1)])));
    expect([title, heading, note, card]).toEqual(VERIFIED_TEXTS.filter((_, index) => index !== 2));
  });

  it("no sample wording mentions verification or reviews", () => {
    const wording = wordingFor(evidenceOf([sampleAd(1)]));
    const words = [
      ...textsOf(wording),
      wording.stateKeywords("Ohio"),
      wording.cityTitle("Brand", "Akron", "Ohio"),
      wording.cityDescription("Akron", "Ohio"),
    ];
    expect(words.filter((text) => /verif|review/i.test(text))).toEqual([]);
  });

  it("the sample notice depends on how many ads are samples", () => {
    expect(sampleNotice(evidenceOf([sampleAd(1)]))).toMatch(/^These are sample ads, not real people\./);
    expect(sampleNotice(evidenceOf([sampleAd(1), placedAd(2)]))).toMatch(/^Ads with the 'Sample ad' badge are samples/);
    expect(sampleNotice(evidenceOf([placedAd(1)]))).toBeNull();
  });
});
