/** What was recorded as evidence, and when. */
export interface EvidenceRecord {
  /** What was checked, in words. */
  readonly what: string;
  /** Day of the record, `YYYY-MM-DD`. */
  readonly on: string;
}

interface AdText {
  readonly id: number;
  readonly age: number;
  readonly title: string;
  readonly description: string;
  /** Stands first in every city's list. */
  readonly featured: boolean;
  /** Names of its two pictures; featured ads only. */
  readonly photos?: readonly [string, string];
}

/** An ad made up by the site. Nobody is behind it, so there is nothing that could have been verified or reviewed. */
export interface SampleAd extends AdText {
  readonly sample: true;
  readonly verification?: never;
  readonly reviews?: never;
}

/** An ad placed by somebody. */
export interface PlacedAd extends AdText {
  readonly sample: false;
  /** Absent: nothing was verified. */
  readonly verification?: EvidenceRecord;
  /** Where its reviews were recorded. Absent: it has none. */
  readonly reviews?: EvidenceRecord;
}

/** One ad of the directory. */
export type Ad = SampleAd | PlacedAd;

/** All ads of the directory. */
export interface AdSet {
  readonly featured: readonly Ad[];
  readonly regular: readonly Ad[];
}
