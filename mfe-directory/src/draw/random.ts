/** Returns a uniformly random integer from 0 up to but excluding `bound`. */
export type DrawBelow = (bound: number) => number;

/** Fills an array with random 32-bit words. */
type Fill = (words: Uint32Array<ArrayBuffer>) => unknown;

const RANGE = 2 ** 32;

/**
 * Draws from the browser's cryptographic source. Rejects words beyond the last multiple of the bound, because they
 * would favor small results.
 */
export function drawBelow(bound: number, fill: Fill = (words) => crypto.getRandomValues(words)): number {
  const limit = RANGE - (RANGE % bound);
  const words = new Uint32Array(1);
  for (;;) {
    fill(words);
    const [word = 0] = words;
    if (word < limit) return word % bound;
  }
}
