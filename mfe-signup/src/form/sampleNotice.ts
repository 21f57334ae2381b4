/** Notice for visitors who come from a sample ad. */
export const SAMPLE_NOTICE =
  "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";
