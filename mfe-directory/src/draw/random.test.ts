import { expect, it } from "vitest";

import { drawBelow } from "./random";

function source(...values: number[]): (words: Uint32Array) => void {
  return (words) => {
    const next = values.shift();
    if (next === undefined) throw new Error("drew more often than expected");
    words[0] = next;
  };
}

it("drawBelow distributes multiples of the bound evenly", () => {
  const counts = [0, 0, 0, 0, 0];
  for (let word = 0; word < 5000; word += 1) {
    const drawn = drawBelow(5, source(word));
    counts[drawn] = (counts[drawn] ?? 0) + 1;
  }
  expect(counts).toEqual([1000, 1000, 1000, 1000, 1000]);
});

it("drawBelow draws again beyond the last multiple of the bound", () => {
  // 2 ** 32 is 1 modulo 3, so accepting the highest word would favor 0.
  expect(drawBelow(3, source(2 ** 32 - 1, 4))).toBe(1);
  expect(drawBelow(3, source(2 ** 32 - 2))).toBe(2);
});

it("drawBelow draws once if the bound divides the range", () => {
  expect(drawBelow(16, source(2 ** 32 - 1))).toBe(15);
});

it("drawBelow uses getRandomValues and stays below the bound", () => {
  const drawn = new Set(Array.from({ length: 2000 }, () => drawBelow(16)));
  expect([...drawn].sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => index));
});
