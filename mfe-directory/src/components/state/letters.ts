import { foldName } from "../../text/foldName";

/** Cities with the same first letter. */
export interface LetterGroup {
  /** Uppercase, without diacritics: E for ‘Ewa Beach. */
  readonly letter: string;
  readonly cities: readonly string[];
}

/** Minimum length of a list grouped by letter. */
export const MIN_GROUPED_CITIES = 60;

/** Groups alphabetically sorted cities by the first letter of their folded names. */
export function groupByLetter(cities: readonly string[]): readonly LetterGroup[] {
  const groups = new Map<string, string[]>();
  for (const city of cities) {
    const first = city.charAt(0);
    // Folding is expensive, and few names need it.
    const letter = /[A-Z]/.test(first) ? first : foldName(city).charAt(0).toUpperCase();
    const group = groups.get(letter);
    if (group) group.push(city);
    else groups.set(letter, [city]);
  }
  return [...groups].map(([letter, names]) => ({ letter, cities: names }));
}

/** Id of a letter's heading. */
export function letterId(letter: string): string {
  return `cities-${letter.toLowerCase()}`;
}
