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

/** Folds a name once, so that many queries can be tried on it. `St.` is also found as `Saint`. */
export function searchable(name: string): string {
  const folded = foldName(name);
  const spelledOut = folded.replace(/\bst\b/g, "saint");
  return spelledOut === folded ? folded : `${folded}\n${spelledOut}`;
}

/** Whether what was typed is part of a searchable name. */
export function matches(searchableName: string, query: string): boolean {
  return searchableName.includes(foldName(query));
}
