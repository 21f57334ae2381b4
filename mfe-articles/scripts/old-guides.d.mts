/** Warns of the guides whose text nobody has changed or checked for 12 months. */
export function warnOfOldGuides(now?: Date): void;
