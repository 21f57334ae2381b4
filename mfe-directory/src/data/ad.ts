/** A record of evidence. */
export interface EvidenceRecord {
  /** Description of what was checked. */
  readonly what: string;
  /** Date of the record, `YYYY-MM-DD`. */
  readonly on: string;
}

interface AdText {
  readonly id: number;
  readonly age: number;
  readonly title: string;
  readonly description: string;
  /** Listed first in every city. */
  readonly featured: boolean;
  /** File names of the two pictures; featured ads only. */
  readonly photos?: readonly [string, string];
}

/** A fictitious ad by the site. It cannot be verified or reviewed. */
interface SampleAd extends AdText {
  readonly sample: true;
  readonly verification?: never;
  readonly reviews?: never;
}

/** An ad placed by an advertiser. */
interface PlacedAd extends AdText {
  readonly sample: false;
  /** Absent if unverified. */
  readonly verification?: EvidenceRecord;
  /** The record of its reviews. Absent if it has none. */
  readonly reviews?: EvidenceRecord;
}

/** An ad of the directory. */
export type Ad = SampleAd | PlacedAd;

/** All ads of the directory. */
export interface AdSet {
  readonly featured: readonly Ad[];
  readonly regular: readonly Ad[];
}
