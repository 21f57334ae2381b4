// @ts-expect-error -- The generator's package has no types.
import { geoAzimuthalEqualArea, geoDistance } from "d3-geo";
import { expect, it } from "vitest";

import { milesBetween, project, type Point } from "./geometry";

type D3Point = readonly [longitude: number, latitude: number];
interface Projecting {
  (point: D3Point): [number, number];
  rotate(angles: D3Point): Projecting;
  scale(scale: number): Projecting;
  translate(position: readonly [number, number]): Projecting;
}
const distance = geoDistance as (one: D3Point, other: D3Point) => number;
const projection = (geoAzimuthalEqualArea as () => Projecting)().rotate([120, -40]).scale(900).translate([160, 90]);

const PLACES: Readonly<Record<string, Point>> = {
  "Los Angeles": [34.052, -118.244],
  "New York": [40.714, -74.006],
  Anchorage: [61.218, -149.9],
  "Attu, west of the 180th meridian": [52.9, 172.9],
};
const toD3 = ([latitude, longitude]: Point): D3Point => [longitude, latitude];

it.each(Object.entries(PLACES))("distances from %s are those of d3-geo", (_, place) => {
  for (const other of Object.values(PLACES)) {
    expect(milesBetween(place, other)).toBeCloseTo(3958.8 * distance(toD3(place), toD3(other)), 3);
  }
});

it.each(Object.entries(PLACES))("%s is projected as by d3-geo", (_, place) => {
  const [x, y] = project([-120, 40, 900, 160, 90], place);
  const [expectedX, expectedY] = projection(toD3(place));
  expect(x).toBeCloseTo(expectedX, 6);
  expect(y).toBeCloseTo(expectedY, 6);
});
