import { expect, it } from "vitest";

import { ADS } from "../../data/ads";
import { AGE_RANGES, ALL, selectAds } from "./selectAds";

it("selectAds with no selection returns the list", () => {
  expect(selectAds(ADS.regular, ALL)).toEqual(ADS.regular);
});

it("selectAds with ages returns the ads within the range", () => {
  const found = AGE_RANGES.flatMap((ages) => selectAds(ADS.regular, { ...ALL, ages }));
  expect(found).toHaveLength(ADS.regular.length);
  expect(selectAds(ADS.regular, { ...ALL, ages: "21-23" }).every(({ age }) => age >= 21 && age <= 23)).toBe(true);
});

it("selectAds with a keyword searches title and description", () => {
  expect(selectAds(ADS.regular, { ...ALL, keyword: "coffee" }).map(({ id }) => id)).toContain(4251);
  expect(selectAds(ADS.regular, { ...ALL, keyword: "no agenda" }).map(({ id }) => id)).toEqual([4251]);
  expect(selectAds(ADS.regular, { ...ALL, keyword: "zzz" })).toEqual([]);
});

it("selectAds with an order sorts and keeps ties in order", () => {
  const ages = (order: "youngest" | "oldest"): number[] =>
    selectAds(ADS.regular, { ...ALL, order }).map(({ age }) => age);
  expect(ages("youngest")).toEqual(ADS.regular.map(({ age }) => age).sort((one, other) => one - other));
  expect(ages("oldest")).toEqual([...ages("youngest")].reverse());
  const titles = selectAds(ADS.regular, { ...ALL, order: "title" }).map(({ title }) => title);
  expect(titles).toEqual([...titles].sort((one, other) => one.localeCompare(other, "en")));
});
