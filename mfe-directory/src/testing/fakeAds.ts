import type { Ad, AdSet, EvidenceRecord } from "../data/ad";

const RECORD: EvidenceRecord = { what: "Identity document seen by a member of staff", on: "2026-01-15" };

function text(id: number): Pick<Ad, "id" | "age" | "title" | "description" | "featured"> {
  return { id, age: 25, title: `Ad ${String(id)}`, description: "A line.\nAnother line.", featured: false };
}

/** A sample ad. */
export function sampleAd(id: number): Ad {
  return { ...text(id), sample: true };
}

/** A placed ad without records. */
export function placedAd(id: number): Ad {
  return { ...text(id), sample: false };
}

/** A placed ad with a verification record. */
export function verifiedAd(id: number): Ad {
  return { ...text(id), sample: false, verification: RECORD };
}

/** A verified ad with recorded reviews. */
export function reviewedAd(id: number): Ad {
  return { ...text(id), sample: false, verification: RECORD, reviews: RECORD };
}

/** A full set: 2 featured and 50 regular ads. */
export function fullSet(make: (id: number) => Ad): AdSet {
  const ids = (first: number, count: number): number[] => Array.from({ length: count }, (_, index) => first + index);
  return {
    featured: ids(9001, 2).map((id) => ({ ...make(id), featured: true, photos: ["one", "two"] })),
    regular: ids(4251, 50).map(make),
  };
}
