import { foldName } from "../../text/foldName";

/** The cities of a state whose names begin alike. */
export interface LetterGroup {
  /** Upper case, without diacritics: that of ‘Ewa Beach is E. */
  readonly letter: string;
  readonly cities: readonly string[];
}

/** From how many cities on a list is read by letters. */
export const LONG = 60;

/** Groups cities, which are in alphabetical order, by the first letter of their folded names. */
export function groupByLetter(cities: readonly string[]): readonly LetterGroup[] {
  const groups = new Map<string, string[]>();
  for (const city of cities) {
    const first = city.charAt(0);
    // Folding takes its time, and few names need it.
    const letter = /[A-Z]/.test(first) ? first : foldName(city).charAt(0).toUpperCase();
    const group = groups.get(letter);
    if (group) group.push(city);
    else groups.set(letter, [city]);
  }
  return [...groups].map(([letter, names]) => ({ letter, cities: names }));
}
