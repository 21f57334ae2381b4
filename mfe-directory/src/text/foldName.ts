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

const ABBREVIATIONS: Readonly<Partial<Record<string, string>>> = {
  st: "saint",
  saint: "st",
  ft: "fort",
  fort: "ft",
  mt: "mount",
  mount: "mt",
};

/** The folded name, and its other spelling if it has one: `St.` or `Saint`, `Fort` or `Ft.`, `Mount` or `Mt.`. */
export function spellings(name: string): readonly string[] {
  const folded = foldName(name);
  const other = folded.replace(/\b(?:st|saint|ft|fort|mt|mount)\b/g, (word) => ABBREVIATIONS[word] ?? word);
  return other === folded ? [folded] : [folded, other];
}

/** Returns a search key: the spellings of the name, with a space before each word. */
export function searchKey(name: string): string {
  return spellings(name)
    .map((spelling) => ` ${spelling}`)
    .join("\n");
}

/** Returns the items whose search key contains the query: first those that begin with it, then those with a word that does. */
export function search<T>(items: readonly T[], query: string, keyOf: (item: T) => string): readonly T[] {
  const folded = foldName(query);
  const starts: T[] = [];
  const wordStarts: T[] = [];
  const others: T[] = [];
  for (const item of items) {
    const key = keyOf(item);
    if (key.startsWith(` ${folded}`) || key.includes(`\n ${folded}`)) starts.push(item);
    else if (key.includes(` ${folded}`)) wordStarts.push(item);
    else if (key.includes(folded)) others.push(item);
  }
  return [...starts, ...wordStarts, ...others];
}
