import { describe, expect, it } from "vitest";

import { fullSet, reviewedAd, sampleAd, verifiedAd } from "../testing/madeUpAds";
import type { Ad } from "./ad";
import { checkAds } from "./checkAds";

const RECORD = { what: "Identity document", on: "2026-01-15" };
const AD = { id: 7, age: 25, title: "Title", description: "Text.", sample: true };

function withRegular(ad: unknown): unknown {
  return { featured: [], regular: [ad] };
}

describe("reading the ads", () => {
  it.each([
    ["samples", fullSet(sampleAd)],
    ["verified ads", fullSet(verifiedAd)],
    ["reviewed ads", fullSet(reviewedAd)],
  ])("takes a set of %s as it is", (_, set) => {
    expect(checkAds(JSON.parse(JSON.stringify(set)))).toEqual(set);
  });

  it("a sample with a verification record is refused", () => {
    expect(() => checkAds(withRegular({ ...AD, verification: RECORD }))).toThrow(
      "content/ads.json: ad 7: a sample cannot carry a verification record",
    );
  });

  it("a sample with a verification record of null is refused, too", () => {
    expect(() => checkAds(withRegular({ ...AD, verification: null }))).toThrow("cannot carry a verification record");
  });

  it("a sample with evidence of reviews is refused", () => {
    expect(() => checkAds(withRegular({ ...AD, reviews: RECORD }))).toThrow("cannot carry evidence of reviews");
  });

  it("the types refuse a sample with a record, too", () => {
    // @ts-expect-error -- a sample has no verification
    const sample: Ad = { ...AD, featured: false, sample: true, verification: RECORD };
    expect(() => checkAds(withRegular(sample))).toThrow("cannot carry a verification record");
  });

  it.each<[string, unknown, string]>([
    ["no object", [], "the file: expected an object"],
    ["no list of regular ads", { featured: [] }, "regular: expected a list"],
    ["an ad that is no object", withRegular("ad"), "a regular ad: expected an object"],
    ["an ad without an id", withRegular({ ...AD, id: undefined }), "an ad's id: expected a whole number"],
    ["an id that is a text", withRegular({ ...AD, id: "7" }), "an ad's id: expected a whole number"],
    ["an age under 18", withRegular({ ...AD, age: 17 }), "ad 7, age: expected a whole number, 18 or more"],
    ["an age that is no whole number", withRegular({ ...AD, age: 25.5 }), "ad 7, age: expected a whole number"],
    ["an empty title", withRegular({ ...AD, title: " " }), "ad 7, title: expected some text"],
    ["an ad that does not say whether it is a sample", withRegular({ ...AD, sample: undefined }), "ad 7, sample"],
    ["a regular ad with photos", withRegular({ ...AD, photos: ["a", "b"] }), "only featured ads have photos"],
    ["a featured ad without photos", { featured: [AD], regular: [] }, "ad 7, photos: expected a list"],
    ["three photos", { featured: [{ ...AD, photos: ["a", "b", "c"] }], regular: [] }, "expected two pictures"],
    ["one photo", { featured: [{ ...AD, photos: ["a"] }], regular: [] }, "ad 7, photos[1]: expected some text"],
    ["two ads of one id", { featured: [], regular: [AD, AD] }, "ad 7: another ad has the same id"],
    [
      "a verification without a day",
      withRegular({ ...AD, sample: false, verification: { what: "Document", on: "soon" } }),
      "ad 7, verification.on: expected a day as YYYY-MM-DD",
    ],
    ["empty evidence", withRegular({ ...AD, sample: false, reviews: {} }), "ad 7, reviews.on: expected some text"],
  ])("%s is refused in words", (_, value, message) => {
    expect(() => checkAds(value)).toThrow(message);
  });
});
