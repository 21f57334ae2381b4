/**
 * Normalizes a name for searching: lowercase, without diacritics, apostrophes and the Hawaiian ‘okina; punctuation and
 * whitespace become single spaces. "Kīhei" becomes "kihei", "Wilkes-Barre" becomes "wilkes barre".
 */
export function foldName(name: string): string {
  return name
    .normalize("NFD")
    .replace(/[\p{M}'‘’ʻʼ`]/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Returns a search key: the folded name with a space before each word. `St.` also matches `Saint`. */
export function searchKey(name: string): string {
  const folded = ` ${foldName(name)}`;
  const spelledOut = folded.replace(/\bst\b/g, "saint");
  return spelledOut === folded ? folded : `${folded}\n${spelledOut}`;
}

/** Returns the items whose search key contains the query: matches at the start of a word first, otherwise in order. */
export function search<T>(items: readonly T[], query: string, keyOf: (item: T) => string): readonly T[] {
  const folded = foldName(query);
  const wordStarts: T[] = [];
  const others: T[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (key.includes(` ${folded}`)) wordStarts.push(item);
    else if (key.includes(folded)) others.push(item);
  }
  return [...wordStarts, ...others];
}
