const FEW = 12;
const MAX_LISTED = 40;
const MAX_NEAR = 5;

/** Says what a module exports: all names if they are few, otherwise those that are similar to a name that it lacks. */
export function describeExports(names: readonly string[], missing: string): string {
  if (names.length === 0) return "It has no exports.";
  const near = names.length > FEW ? nearNames(names, missing) : [];
  if (near.length === 0 && names.length <= MAX_LISTED) return `It exports ${names.join(", ")}.`;
  const examples = near.length > 0 ? `, such as ${near.join(", ")}` : "";
  return `It exports ${String(names.length)} names${examples}.`;
}

/** The names that differ from another one by few letters, or contain it or are part of it, the nearest first. */
export function nearNames(names: readonly string[], missing: string): string[] {
  const text = missing.toLowerCase();
  return names
    .map((name) => ({ name, distance: distanceOf(name.toLowerCase(), text) }))
    .filter(({ name, distance }) => distance <= Math.max(1, text.length / 3) || isPart(name.toLowerCase(), text))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, MAX_NEAR)
    .map(({ name }) => name);
}

function isPart(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return short.length > 3 && long.includes(short);
}

/** Describes a key that a configuration cannot have, for error messages. */
export function unknownKey(keys: readonly string[], key: string): string {
  const [near] = nearNames(keys, key);
  return `unknown key "${key}"; ${near === undefined ? `expected ${keys.join(", ")}` : `did you mean "${near}"?`}`;
}

/** The number of letters to insert, remove, replace or swap: https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance */
function distanceOf(one: string, other: string): number {
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [index, letter] of one.split("").entries()) {
    const next = [index + 1];
    for (const [column, otherLetter] of other.split("").entries()) {
      const replaced = (row[column] ?? 0) + (letter === otherLetter ? 0 : 1);
      const isSwapped = letter === other[column - 1] && otherLetter === one[index - 1];
      const swapped = isSwapped ? (before[column - 1] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}
