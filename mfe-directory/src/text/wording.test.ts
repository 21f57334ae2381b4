import { describe, expect, it } from "vitest";

import { ALL_ADS } from "../data/ads";
import { placedAd, reviewedAd, sampleAd, verifiedAd } from "../testing/madeUpAds";
import { evidenceOf, sampleLine, wordingFor, type Wording } from "./wording";

function wordsOf(wording: Wording): string[] {
  return [
    wording.stateTitle("Brand", "Ohio"),
    wording.stateHeading("Ohio"),
    wording.stateLine("Ohio", 7),
    wording.stateFooterNote("Ohio"),
    wording.cityCard,
  ];
}

const SAMPLE_WORDS = [
  "Brand - Listings in Ohio",
  "Escorts in Ohio",
  "Browse sample escort profiles in 7 cities across Ohio",
  "Escorts in Ohio - 18+ only",
  "Browse Escorts",
];

const VERIFIED_WORDS = [
  "Brand - Verified Listings in Ohio",
  "Verified Escorts in Ohio",
  "Browse verified escort profiles in 7 cities across Ohio",
  "Verified escorts in Ohio - 18+ only",
  "Browse Verified Escorts",
];

describe("wording", () => {
  it("bundled ads get the sample wording", () => {
    expect(wordsOf(wordingFor(evidenceOf(ALL_ADS)))).toEqual(SAMPLE_WORDS);
  });

  it.each([
    ["no ads at all", []],
    ["samples", [sampleAd(1), sampleAd(2)]],
    ["one sample among verified ads", [verifiedAd(1), sampleAd(2)]],
    ["one placed ad without a record among verified ones", [verifiedAd(1), placedAd(2)]],
  ])("%s get the sample wording", (_, ads) => {
    expect(wordsOf(wordingFor(evidenceOf(ads)))).toEqual(SAMPLE_WORDS);
  });

  it("verified ads without recorded reviews get the verified wording without a word of reviews", () => {
    expect(wordsOf(wordingFor(evidenceOf([verifiedAd(1), verifiedAd(2)])))).toEqual(VERIFIED_WORDS);
  });

  it("real reviews are claimed only where every ad has recorded reviews", () => {
    const line = "Browse verified escort profiles with real reviews in 7 cities across Ohio";
    const lineFor = (...ads: Parameters<typeof evidenceOf>[0]) => wordingFor(evidenceOf(ads)).stateLine("Ohio", 7);
    expect(lineFor(reviewedAd(1), reviewedAd(2))).toBe(line);
    expect(lineFor(reviewedAd(1), verifiedAd(2))).not.toContain("reviews");
  });

  it("the reviewed wording differs from the verified one in its line alone", () => {
    const [title, heading, , note, card] = wordsOf(wordingFor(evidenceOf([reviewedAd(1)])));
    expect([title, heading, note, card]).toEqual(VERIFIED_WORDS.filter((_, index) => index !== 2));
  });

  it("no sample wording says verified or reviews, in any of its texts", () => {
    const wording = wordingFor(evidenceOf([sampleAd(1)]));
    const words = [
      ...wordsOf(wording),
      wording.stateKeywords("Ohio"),
      wording.cityTitle("Brand", "Akron", "Ohio"),
      wording.cityDescription("Akron", "Ohio"),
    ];
    expect(words.filter((text) => /verif|review/i.test(text))).toEqual([]);
  });

  it("the sample line follows how many ads are samples", () => {
    expect(sampleLine(evidenceOf([sampleAd(1)]))).toMatch(/^The listings here are samples and no real people\./);
    expect(sampleLine(evidenceOf([sampleAd(1), placedAd(2)]))).toMatch(
      /^Listings with the badge 'Sample ad' are samples/,
    );
    expect(sampleLine(evidenceOf([placedAd(1)]))).toBeNull();
  });
});
