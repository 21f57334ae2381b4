import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import places from "../../data/us-places.json";
import table from "../../data/us-cities.json";
import { milesBetween } from "../map/geometry";
import { locateCity, locateState, positionsOnMap, type Label } from "./maps";

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

/** Large cities of the maps whose five names are others. */
const WITHOUT_ROOM = ["Bakersfield", "Riverside", "San Jose", "Stockton", "Corpus Christi", "Laredo"];

/** Radii of the dots, as in the styles. */
const RADII = [2, 3.5, 5.5];

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const overlaps = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

const grown = ({ left, right, top, bottom }: Box, by: number): Box => ({
  left: left - by,
  right: right + by,
  top: top - by,
  bottom: bottom + by,
});

/** The area of the letters of a name in a usual bold font. The generator allows for a wider one. */
function boxOf({ city, x, y, textAnchor, dominantBaseline }: Label, size: number): Box {
  const ems = Array.from(city, (letter) => (/[MWmw]/.test(letter) ? 0.85 : /[fijlt.' ]/.test(letter) ? 0.32 : 0.6));
  const width = size * ems.reduce((sum, em) => sum + em, 0);
  const left = x - { start: 0, middle: width / 2, end: width }[textAnchor ?? "start"];
  const line = dominantBaseline ? y + size * 0.8 : y;
  const below = /[gjpqyJQ]/.test(city) ? size / 8 : 0;
  return { left, right: left + width, top: line - size * 0.73, bottom: line + below };
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

  it("has one size of dot below 50,000 residents, one below 250,000, and one above", async () => {
    const dots = (await locateState("California", table.California))?.dots ?? [];
    const populations = table.California.map((city) => COORDINATES.California?.[city]?.[2] ?? 0);
    const below = (limit: number): number => populations.filter((population) => population < limit).length;
    expect(dots.map((path) => positionsOf(path).length)).toEqual([
      below(50_000),
      below(250_000) - below(50_000),
      populations.length - below(250_000),
    ]);
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
    const known = ["Fresno", "Los Angeles", "Sacramento", "San Diego", "San Francisco"];
    for (const names of [labels, phone?.labels ?? []]) {
      expect(names.map(({ city }) => city).toSorted()).toEqual(known);
    }
    const nevada = (await locateState("Nevada", table.Nevada))?.labels ?? [];
    expect(nevada.map(({ city }) => city)).toContain("Reno");
  });

  it("names each city of 250,000 residents that is 70 km from a larger name, if five names leave room", async () => {
    const milesApart = 70 / 1.609;
    for (const kind of ["wide", "phone"] as const) {
      const unnamed: string[] = [];
      for (const [state, cities] of Object.entries(table)) {
        const { labels = [], phone } = (await locateState(state, cities)) ?? {};
        const names = (kind === "wide" ? labels : (phone?.labels ?? [])).map(({ city }) => city);
        const populationOf = (city: string): number => COORDINATES[state]?.[city]?.[2] ?? 0;
        const isNear = (city: string): boolean =>
          names.some(
            (name) =>
              (name === city || populationOf(name) > populationOf(city)) &&
              milesBetween(pointOf(state, name), pointOf(state, city)) <= milesApart,
          );
        unnamed.push(...cities.filter((city) => populationOf(city) >= 250_000 && !isNear(city)));
      }
      expect(unnamed, kind).toEqual(WITHOUT_ROOM);
    }
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

  it("keeps every name within the image and off the other names, and on a phone off all dots", async () => {
    for (const [state, cities] of Object.entries(table)) {
      const { labels = [], phone, dots = [], outline } = (await locateState(state, cities)) ?? {};
      const height = outline?.height ?? 0;
      // A high map leaves room at its sides, even on a phone of 320 pixels.
      const beside = Math.max(0, (320 * height) / 184 - 320) / 2;
      const positions = new Map((await positionsOnMap(state, cities)).map((position) => [position.city, position]));
      const circles = dots.flatMap((path, index) =>
        positionsOf(path).map((dot) => ({ ...dot, radius: RADII[index] ?? 0 })),
      );
      for (const { names, size, room, obstacles } of [
        { names: labels, size: 13, room: 0, obstacles: [] },
        { names: phone?.labels ?? [], size: phone?.size ?? 0, room: beside, obstacles: circles },
      ]) {
        const boxes = names.map((name) => boxOf(name, size));
        for (const [index, box] of boxes.entries()) {
          const text = `${names[index]?.city ?? ""}, ${state}`;
          expect(box.left, text).toBeGreaterThanOrEqual(-room);
          expect(box.right, text).toBeLessThanOrEqual(320 + room);
          expect(box.top, text).toBeGreaterThanOrEqual(0);
          expect(box.bottom, text).toBeLessThanOrEqual(height);
          expect(
            boxes.filter((other) => other !== box && overlaps(box, grown(other, 2))),
            text,
          ).toEqual([]);
          const own = positions.get(names[index]?.city ?? "");
          const others = obstacles.filter(({ x, y }) => x !== own?.x || y !== own.y);
          const hidden = others.filter(({ x, y, radius }) => {
            const aside = Math.max(box.left - x, x - box.right, 0);
            return Math.hypot(aside, Math.max(box.top - y, y - box.bottom, 0)) < radius;
          });
          expect(hidden, text).toEqual([]);
        }
      }
    }
  });

  it("leads lines to names on a phone over few dots", async () => {
    let count = 0;
    for (const [state, cities] of Object.entries(table)) {
      const { phone, dots = [] } = (await locateState(state, cities)) ?? {};
      for (const numbers of phone?.lines.matchAll(/M(\d+) (\d+)L(-?\d+) (\d+)/g) ?? []) {
        const [x = 0, y = 0, toX = 0, toY = 0] = numbers.slice(1).map(Number);
        count++;
        const line = Array.from({ length: 100 }, (_, step) => ({
          x: x + ((toX - x) * step) / 99,
          y: y + ((toY - y) * step) / 99,
        }));
        const crossed = dots
          .flatMap((path) => positionsOf(path))
          .filter(
            (dot) => (dot.x !== x || dot.y !== y) && line.some((at) => Math.hypot(at.x - dot.x, at.y - dot.y) < 2),
          );
        expect(crossed.length, state).toBeLessThanOrEqual(4);
      }
    }
    expect(count).toBeGreaterThan(0);
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
