/** What is said first to whoever comes from something that only a sample shows. */
export const SAMPLE_NOTICE =
  "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";
