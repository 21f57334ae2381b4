// Pictures that a seed determines.

/**
 * Returns a generator of whole numbers below a limit, determined by the seed: FNV-1a, then xorshift32. Sufficient for
 * pictures, and deterministic in every engine.
 */
export function seededRandom(seed: string): (below: number) => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  state ||= 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

/**
 * The path of a temple's front in a square of 64 units: pediment, entablature, columns and a step. Straight edges, so that
 * nothing resembles a person.
 */
export function templePath(columns: number, left: number, top: number, rise: number): string {
  const [right, shaft] = [64 - left, 5];
  const gap = (right - left - shaft) / (columns - 1);
  const shafts = Array.from({ length: columns }, (_, index) => {
    const x = Math.round((left + index * gap) * 10) / 10;
    return `M${String(x)} ${String(top + 5)}h${String(shaft)}V54h-${String(shaft)}z`;
  });
  const [west, east] = [left - 3, right + 3];
  return [
    `M32 ${String(top - rise)}L${String(east)} ${String(top - 1)}H${String(west)}z`,
    `M${String(west)} ${String(top)}H${String(east)}v4H${String(west)}z`,
    ...shafts,
    `M${String(west)} 55H${String(east)}v3H${String(west)}z`,
  ].join("");
}
