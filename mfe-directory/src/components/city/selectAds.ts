import type { Ad } from "../../data/ad";
import { search, searchKey } from "../../text/foldName";

/** The ages that a visitor can choose from, each a range of both ends included. */
export const AGE_RANGES = ["21-23", "24-26", "27-29"] as const;

/** The orders that a visitor can choose from. `drawn` is the order of the list. */
export const ORDERS = {
  drawn: "As listed",
  youngest: "Youngest first",
  oldest: "Oldest first",
  title: "Title",
} as const;

/** What a visitor wants to see of a city's list. */
export interface AdSelection {
  /** Words of the title or description. Empty for all ads. */
  readonly keyword: string;
  /** One of {@link AGE_RANGES}, or empty for all ages. */
  readonly ages: string;
  readonly order: keyof typeof ORDERS;
}

/** Shows every ad as listed. */
export const ALL: AdSelection = { keyword: "", ages: "", order: "drawn" };

const COMPARE: Readonly<Record<AdSelection["order"], (one: Ad, other: Ad) => number>> = {
  drawn: () => 0,
  youngest: (one, other) => one.age - other.age,
  oldest: (one, other) => other.age - one.age,
  title: (one, other) => one.title.localeCompare(other.title, "en"),
};

/** Returns the selected ads in the selected order. */
export function selectAds(ads: readonly Ad[], { keyword, ages, order }: AdSelection): readonly Ad[] {
  const [youngest, oldest] = ages === "" ? [0, Infinity] : ages.split("-").map(Number);
  const aged = ads.filter(({ age }) => age >= (youngest ?? 0) && age <= (oldest ?? Infinity));
  const found =
    keyword.trim() === ""
      ? aged
      : search(aged, keyword, ({ title, description }) => searchKey(`${title} ${description}`));
  // Sorting is stable, so the drawn order stays.
  return [...found].sort(COMPARE[order]);
}
