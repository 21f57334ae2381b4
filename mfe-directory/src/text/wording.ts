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

/** Returns the wording that the evidence supports. */
export function wordingFor({ verified, reviewed }: Evidence): Wording {
  const kind = verified ? "verified" : "sample";
  const claim = verified ? "Verified " : "";
  const profiles = `Browse ${kind} escort profiles`;
  return {
    stateTitle: (brand, state) => `${brand} - ${claim}Listings in ${state}`,
    stateHeading: (state) => `${claim}Escorts in ${state}`,
    stateSubtitle: (state, cities) =>
      `${profiles}${reviewed ? " with real reviews" : ""} in ${String(cities)} cities across ${state}`,
    stateFooterNote: (state) => `${verified ? "Verified escorts" : "Escorts"} in ${state} - 18+ only`,
    stateKeywords: (state) =>
      `${state} escort directory, ${claim.toLowerCase()}escorts in ${state}, ${state} cities, ${kind} listings`,
    cityRow: `Browse ${claim}Escorts`,
    cityTitle: (brand, city, state) => `${brand} - ${claim}Listings in ${city}, ${state}`,
    cityDescription: (city, state) => `${profiles} in ${city}, ${state}. For adults, 18 or older.`,
  };
}

/** Returns the notice about samples, or null without samples. */
export function sampleNotice(evidence: Evidence): string | null {
  switch (evidence.samples) {
    case "all":
      return "These are sample ads, not real people. Replies go nowhere.";
    case "some":
      return "Ads with the 'Sample ad' badge are samples, not real people. Replies to them go nowhere.";
    case "none":
      return null;
  }
}
