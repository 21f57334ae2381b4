import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import places from "../../data/us-places.json";
import table from "../../data/us-cities.json";
import { milesBetween } from "../map/geometry";
import { locateCity, locateState } from "./maps";

const GENERATOR = path.join(import.meta.dirname, "../../scripts/make-geography.mjs");

type Coordinates = readonly [latitude: number, longitude: number, population: number];
const COORDINATES = places as unknown as Readonly<Record<string, Readonly<Record<string, Coordinates>>>>;

function pointOf(state: string, city: string): readonly [number, number] {
  const coordinates = COORDINATES[state]?.[city];
  if (!coordinates) throw new Error(`no coordinates of ${city}, ${state}`);
  return [coordinates[0], coordinates[1]];
}

/** Reads the positions of a path of dots. */
function positionsOf(dots: string): readonly { readonly x: number; readonly y: number }[] {
  let [x, y] = [0, 0];
  return [...dots.matchAll(/m(-?\d+) (-?\d+)h0/g)].map(([, right, down]) => {
    [x, y] = [x + Number(right), y + Number(down)];
    return { x, y };
  });
}

it("the generated files match their sources", async () => {
  await expect(promisify(execFile)(process.execPath, [GENERATOR, "--check"])).resolves.toMatchObject({ stderr: "" });
});

it("every city of the table has coordinates", () => {
  for (const [state, cities] of Object.entries(table)) expect(Object.keys(COORDINATES[state] ?? {})).toEqual(cities);
});

describe("locateState", () => {
  it("shows each city once, in one size of dot", async () => {
    for (const [state, cities] of Object.entries(table)) {
      const dots = (await locateState(state, cities))?.dots ?? [];
      expect([state, dots.flatMap(positionsOf).length]).toEqual([state, cities.length]);
    }
  });

  it("keeps every dot within the image", async () => {
    for (const [state, cities] of Object.entries(table)) {
      const location = await locateState(state, cities);
      for (const { x, y } of location?.dots.flatMap(positionsOf) ?? []) {
        expect(x).toBeGreaterThan(0);
        expect(x).toBeLessThan(320);
        expect(y).toBeGreaterThan(0);
        expect(y).toBeLessThan(location?.outline.height ?? 0);
      }
    }
  });

  it("lists the six largest cities in order", async () => {
    const largest = (await locateState("California", table.California))?.largest;
    expect(largest?.map(({ city }) => city)).toEqual([
      "Los Angeles",
      "San Diego",
      "San Jose",
      "San Francisco",
      "Fresno",
      "Sacramento",
    ]);
    expect(largest?.[0]?.population).toBe(places.California["Los Angeles"][2]);
  });

  it("says where the labeled cities are", async () => {
    const labels = (await locateState("Texas", table.Texas))?.labels ?? [];
    const regions = Object.fromEntries(labels.map(({ city, region }) => [city, region]));
    expect(regions).toMatchObject({ Houston: "east", "El Paso": "west" });
  });

  it("names the cities that people look for", async () => {
    const { labels = [], phone } = (await locateState("California", table.California)) ?? {};
    const shown = [labels, phone?.labels ?? []].map((names) => names.map(({ city, side }) => `${city} ${side}`));
    const both = ["Los Angeles left", "San Francisco left", "San Diego left", "Fresno right"];
    expect(shown[0]?.toSorted()).toEqual([...both, "Sacramento right"].toSorted());
    // On a phone, the name of Sacramento would hide its suburbs.
    expect(shown[1]?.toSorted()).toEqual([...both, "Bakersfield right"].toSorted());
    const nevada = (await locateState("Nevada", table.Nevada))?.labels ?? [];
    expect(nevada.map(({ city }) => city)).toContain("Reno");
  });

  it("names the largest city on a phone, in letters of 13 to 15 pixels", async () => {
    for (const [state, cities] of Object.entries(table)) {
      const { phone, largest = [], outline } = (await locateState(state, cities)) ?? {};
      expect([state, phone?.labels[0]?.city]).toEqual([state, largest[0]?.city]);
      // The style limits the height of the map, and a phone of 390 pixels its width.
      const pixels = (phone?.size ?? 0) * Math.min(358 / 320, 184 / (outline?.height ?? 1));
      expect(pixels, state).toBeGreaterThan(13);
      expect(pixels, state).toBeLessThan(15);
    }
  });

  it("hides few dots on a phone, and no large city's", async () => {
    const most: Record<string, number> = { largest: 0, other: 0, large: 0 };
    for (const [state, cities] of Object.entries(table)) {
      const { phone: { size = 0, labels = [] } = {}, dots = [] } = (await locateState(state, cities)) ?? {};
      for (const [index, { city, x, y, side }] of labels.entries()) {
        const width = city.length * size * 0.6;
        const left = { right: x + 8, left: x - 8 - width, top: x - width / 2, bottom: x - width / 2 }[side];
        const top = { right: y - size / 2, left: y - size / 2, top: y - 8 - size, bottom: y + 8 }[side];
        const [small = 0, medium = 0, large = 0] = dots.map(
          (path) =>
            positionsOf(path).filter((dot) => dot.x > left && dot.x < left + width && dot.y > top && dot.y < top + size)
              .length,
        );
        const kind = index === 0 ? "largest" : "other";
        most[kind] = Math.max(most[kind] ?? 0, small + medium + large);
        most.large = Math.max(most.large ?? 0, large);
      }
    }
    // The largest cities always have a name: that of Los Angeles is among its suburbs.
    expect(most).toEqual({ largest: 13, other: 3, large: 0 });
  });

  it("keeps every name within the image and off the other names", async () => {
    for (const [state, cities] of Object.entries(table)) {
      const { labels = [], outline } = (await locateState(state, cities)) ?? {};
      const boxes = labels.map(({ city, x, y, side }) => {
        // Narrower than the generator's estimate.
        const width = city.length * 6;
        const left = { right: x + 8, left: x - 8 - width, top: x - width / 2, bottom: x - width / 2 }[side];
        const top = { right: y - 6, left: y - 6, top: y - 20, bottom: y + 8 }[side];
        return { city, left, right: left + width, top, bottom: top + 12 };
      });
      for (const box of boxes) {
        expect(box.left, `${box.city}, ${state}`).toBeGreaterThanOrEqual(4);
        expect(box.right, `${box.city}, ${state}`).toBeLessThanOrEqual(316);
        expect(box.top, `${box.city}, ${state}`).toBeGreaterThanOrEqual(3);
        expect(box.bottom, `${box.city}, ${state}`).toBeLessThanOrEqual((outline?.height ?? 0) - 3);
        const covered = boxes.filter(
          (other) =>
            other !== box &&
            box.left < other.right &&
            other.left < box.right &&
            box.top < other.bottom &&
            other.top < box.bottom,
        );
        expect(covered, `${box.city}, ${state}`).toEqual([]);
      }
    }
  });

  it.each(["Nowhere", "Ohio"])("returns undefined if no map of %s has these cities", async (state) => {
    expect(await locateState(state, [])).toBeUndefined();
  });
});

describe("locateCity", () => {
  it.each([
    ["California", "Los Angeles"],
    ["Missouri", "Kansas City"],
    ["Alaska", "Juneau"],
    ["Hawaii", "Hilo"],
  ] as const)("lists the six cities nearest to %s, %s", async (state, city) => {
    const own = pointOf(state, city);
    const expected = Object.entries(COORDINATES)
      .flatMap(([other, cities]) => Object.keys(cities).map((name) => ({ state: other, city: name })))
      .filter((place) => place.state !== state || place.city !== city)
      .map((place) => ({ place, miles: milesBetween(own, pointOf(place.state, place.city)) }))
      .sort((one, other) => one.miles - other.miles)
      .slice(0, 6)
      .map(({ place, miles }) => ({ place, miles: Math.round(miles) }));
    expect((await locateCity({ state, city }, table[state]))?.nearest).toEqual(expected);
  });

  it("has a ring only where it is 16 pixels wide on a phone", async () => {
    const rings: number[] = [];
    for (const [state, cities] of Object.entries(table)) {
      for (const city of cities) {
        const { ring = 0, outline } = (await locateCity({ state, city }, cities)) ?? {};
        if (!ring || !outline) continue;
        // The style limits the map to 64 by 52 pixels.
        const scale = Math.min(64 / (outline.east - outline.west + 16), 52 / outline.height);
        rings.push(2 * ring * scale);
      }
    }
    expect(rings.length).toBeGreaterThan(100);
    expect(Math.min(...rings)).toBeGreaterThanOrEqual(16);
  });

  it("crosses state lines", async () => {
    const nearest = (await locateCity({ state: "Missouri", city: "Kansas City" }, table.Missouri))?.nearest ?? [];
    expect(nearest.map(({ place }) => place)).toContainEqual({ state: "Kansas", city: "Kansas City" });
  });

  it("returns undefined for an unknown city", async () => {
    expect(await locateCity({ state: "Ohio", city: "Nowhere" }, table.Ohio)).toBeUndefined();
  });
});
