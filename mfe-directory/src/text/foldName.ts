/**
 * A name as people type it: lower case, without diacritics, apostrophes and the Hawaiian ‘okina; hyphens, dots and
 * runs of spaces are one space. "Kīhei" becomes "kihei", "Wilkes-Barre" "wilkes barre".
 */
export function foldName(name: string): string {
  return name
    .normalize("NFD")
    .replace(/[\p{M}'‘’ʻʼ`]/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/** Folds a name once, so that many queries can be tried on it: a space before each word. `St.` is also `Saint`. */
export function searchable(name: string): string {
  const folded = ` ${foldName(name)}`;
  const spelledOut = folded.replace(/\bst\b/g, "saint");
  return spelledOut === folded ? folded : `${folded}\n${spelledOut}`;
}

/** Those whose searchable name has what was typed: first where a word begins with it, then the others, in their order. */
export function search<T>(items: readonly T[], query: string, nameOf: (item: T) => string): readonly T[] {
  const typed = foldName(query);
  const begun: T[] = [];
  const others: T[] = [];
  for (const item of items) {
    const name = nameOf(item);
    if (name.includes(` ${typed}`)) begun.push(item);
    else if (name.includes(typed)) others.push(item);
  }
  return [...begun, ...others];
}
