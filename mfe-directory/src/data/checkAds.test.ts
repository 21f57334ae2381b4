import { describe, expect, it } from "vitest";

import { fullSet, reviewedAd, sampleAd, verifiedAd } from "../testing/fakeAds";
import type { Ad } from "./ad";
import { checkAds } from "./checkAds";

const RECORD = { what: "Identity document", on: "2026-01-15" };
const AD = { id: 7, age: 25, title: "Title", description: "Text.", sample: true };

function withRegular(ad: unknown): unknown {
  return { featured: [], regular: [ad] };
}

describe("checkAds", () => {
  it.each([
    ["samples", fullSet(sampleAd)],
    ["verified ads", fullSet(verifiedAd)],
    ["reviewed ads", fullSet(reviewedAd)],
  ])("returns a set of %s unchanged", (_, set) => {
    expect(checkAds(JSON.parse(JSON.stringify(set)))).toEqual(set);
  });

  it("rejects a sample with a verification record", () => {
    expect(() => checkAds(withRegular({ ...AD, verification: RECORD }))).toThrow(
      "content/ads.json: ad 7: a sample cannot carry a verification record",
    );
  });

  it("rejects a sample with a null verification record", () => {
    expect(() => checkAds(withRegular({ ...AD, verification: null }))).toThrow("cannot carry a verification record");
  });

  it("rejects a sample with evidence of reviews", () => {
    expect(() => checkAds(withRegular({ ...AD, reviews: RECORD }))).toThrow("cannot carry evidence of reviews");
  });

  it("rejects a sample with a record at compile time too", () => {
    // @ts-expect-error -- a sample has no verification
    const sample: Ad = { ...AD, featured: false, sample: true, verification: RECORD };
    expect(() => checkAds(withRegular(sample))).toThrow("cannot carry a verification record");
  });

  it.each<[string, unknown, string]>([
    ["a non-object", [], "the file: expected an object"],
    ["a missing list of regular ads", { featured: [] }, "regular: expected a list"],
    ["an ad that is not an object", withRegular("ad"), "a regular ad: expected an object"],
    ["an ad without an id", withRegular({ ...AD, id: undefined }), "an ad's id: expected an integer"],
    ["a string id", withRegular({ ...AD, id: "7" }), "an ad's id: expected an integer"],
    ["an age under 18", withRegular({ ...AD, age: 17 }), "ad 7, age: expected an integer of at least 18"],
    ["a fractional age", withRegular({ ...AD, age: 25.5 }), "ad 7, age: expected an integer"],
    ["an empty title", withRegular({ ...AD, title: " " }), "ad 7, title: expected a non-empty string"],
    ["an ad without sample", withRegular({ ...AD, sample: undefined }), "ad 7, sample"],
    ["a regular ad with photos", withRegular({ ...AD, photos: ["a", "b"] }), "only featured ads have photos"],
    ["a featured ad without photos", { featured: [AD], regular: [] }, "ad 7, photos: expected a list"],
    ["three photos", { featured: [{ ...AD, photos: ["a", "b", "c"] }], regular: [] }, "expected two pictures"],
    [
      "one photo",
      { featured: [{ ...AD, photos: ["a"] }], regular: [] },
      "ad 7, photos[1]: expected a non-empty string",
    ],
    ["two ads with the same id", { featured: [], regular: [AD, AD] }, "ad 7: another ad has the same id"],
    [
      "a verification without a day",
      withRegular({ ...AD, sample: false, verification: { what: "Document", on: "soon" } }),
      "ad 7, verification.on: expected a date as YYYY-MM-DD",
    ],
    [
      "empty evidence",
      withRegular({ ...AD, sample: false, reviews: {} }),
      "ad 7, reviews.on: expected a non-empty string",
    ],
  ])("rejects %s", (_, value, message) => {
    expect(() => checkAds(value)).toThrow(message);
  });
});
