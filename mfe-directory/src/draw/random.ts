/** Draws a whole number from 0 up to, not including, a bound; each as likely as the next. */
export type DrawBelow = (bound: number) => number;

/** Fills an array with random words. */
type Fill = (words: Uint32Array<ArrayBuffer>) => unknown;

const RANGE = 2 ** 32;

/**
 * Draws from the browser's cryptographic source. Numbers beyond the last whole multiple of the bound are drawn
 * again: folding them in would make the small results likelier.
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
