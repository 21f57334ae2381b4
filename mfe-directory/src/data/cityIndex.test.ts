import { readFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync } from "node:zlib";
import { expect, it } from "vitest";

import { cityIndex } from "../../scripts/index-cities.mjs";
import { parseCityIndex } from "./cityIndex";
import { citiesOf } from "./places";
import { STATES } from "./states";

const FILE = path.join(import.meta.dirname, "cityIndex.txt");
const text = await readFile(FILE, "utf8");

it("the index is the one that its script writes", async () => {
  expect(text).toBe(await cityIndex());
});

it("the index has every city of every state", async () => {
  const lists = await Promise.all(
    STATES.map(async ({ name: state }) => (await citiesOf(state)).map((city) => ({ state, city }))),
  );
  expect(parseCityIndex(text).map(({ place }) => place)).toEqual(lists.flat());
});

it("the index is at most 25 KB, compressed with Brotli", () => {
  expect(brotliCompressSync(text).length).toBeLessThanOrEqual(25_000);
});

it("a larger city has a larger size", () => {
  const sizes = new Map(parseCityIndex(text).map(({ place, size }) => [`${place.city}, ${place.state}`, size]));
  expect(sizes.get("Los Angeles, California")).toBeGreaterThan(sizes.get("Houston, Texas") ?? NaN);
  expect(sizes.get("Portland, Oregon")).toBeGreaterThan(sizes.get("Portland, Maine") ?? NaN);
});
