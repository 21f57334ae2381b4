import type { Ad } from "../data/ad";

/** Evidence about a set of ads, as plain data. It alone determines the wording of a page. */
export interface Evidence {
  /** The set is not empty, and every ad has a verification record and is not a sample. */
  readonly verified: boolean;
  /** Verified, and every ad has recorded reviews. */
  readonly reviewed: boolean;
  /** Whether all, some or none of the ads are samples. */
  readonly samples: "all" | "some" | "none";
}

/** The texts that depend on evidence. */
export interface Wording {
  stateTitle(brand: string, state: string): string;
  stateHeading(state: string): string;
  /** The subtitle of a state's page. */
  stateSubtitle(state: string, cities: number): string;
  /** The footer note of a state's page. */
  stateFooterNote(state: string): string;
  stateKeywords(state: string): string;
  /** Last words of a city's row. */
  readonly cityRow: string;
  cityTitle(brand: string, city: string, state: string): string;
  cityDescription(city: string, state: string): string;
}

/** Derives the evidence from the ads. */
export function evidenceOf(ads: readonly Ad[]): Evidence {
  const samples = ads.filter((ad) => ad.sample).length;
  const verified = ads.length > 0 && ads.every((ad) => !ad.sample && ad.verification !== undefined);
  return {
    verified,
    reviewed: verified && ads.every((ad) => ad.reviews !== undefined),
    samples: samples === 0 ? "none" : samples === ads.length ? "all" : "some",
  };
}

const SAMPLE: Wording = {
  stateTitle: (brand, state) => `${brand} - Listings in ${state}`,
  stateHeading: (state) => `Escorts in ${state}`,
  stateSubtitle: (state, cities) => `Browse sample escort profiles in ${String(cities)} cities across ${state}`,
  stateFooterNote: (state) => `Escorts in ${state} - 18+ only`,
  stateKeywords: (state) => `${state} escort directory, escorts in ${state}, ${state} cities, sample listings`,
  cityRow: "Browse Escorts",
  cityTitle: (brand, city, state) => `${brand} - Listings in ${city}, ${state}`,
  cityDescription: (city, state) => `Browse sample escort profiles in ${city}, ${state}. For adults, 18 or older.`,
};

const VERIFIED: Wording = {
  stateTitle: (brand, state) => `${brand} - Verified Listings in ${state}`,
  stateHeading: (state) => `Verified Escorts in ${state}`,
  stateSubtitle: (state, cities) => `Browse verified escort profiles in ${String(cities)} cities across ${state}`,
  stateFooterNote: (state) => `Verified escorts in ${state} - 18+ only`,
  stateKeywords: (state) =>
    `${state} escort directory, verified escorts in ${state}, ${state} cities, verified listings`,
  cityRow: "Browse Verified Escorts",
  cityTitle: (brand, city, state) => `${brand} - Verified Listings in ${city}, ${state}`,
  cityDescription: (city, state) => `Browse verified escort profiles in ${city}, ${state}. For adults, 18 or older.`,
};

const REVIEWED: Wording = {
  ...VERIFIED,
  stateSubtitle: (state, cities) =>
    `Browse verified escort profiles with real reviews in ${String(cities)} cities across ${state}`,
};

/** Returns the wording that the evidence supports. */
export function wordingFor(evidence: Evidence): Wording {
  if (evidence.reviewed) return REVIEWED;
  return evidence.verified ? VERIFIED : SAMPLE;
}

/** Returns the notice about samples, or null without samples. */
export function sampleNotice(evidence: Evidence): string | null {
  switch (evidence.samples) {
    case "all":
      return "These are sample listings, not real people. Replies go nowhere.";
    case "some":
      return "Listings with the 'Sample ad' badge are samples, not real people. Replies to them go nowhere.";
    case "none":
      return null;
  }
}
