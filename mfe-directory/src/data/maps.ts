import { loadGeography, type CityLabel, type CityRecord, type LabelSide, type StateMap } from "./geography";
import type { Place } from "./links";
import { milesBetween, pixelsOf, project, type Point } from "../map/geometry";
import { MAP_PADDING } from "../map/sizes";

/** The outline of a state. */
export interface Outline {
  readonly height: number;
  /** Horizontal bounds. */
  readonly west: number;
  readonly east: number;
  readonly path: string;
}

/** The name of a city on a map: attributes of an SVG text. */
export interface Label {
  readonly city: string;
  readonly x: number;
  readonly y: number;
  readonly textAnchor?: "middle" | "end";
  readonly dominantBaseline?: "hanging";
}

/** The map of a state's page. */
export interface StateLocation {
  readonly outline: Outline;
  /** An SVG path with a point per city, for each class of `POPULATION_CLASSES`. */
  readonly dots: readonly string[];
  readonly labels: readonly (Label & {
    /** The position in words. */
    readonly region: string;
  })[];
  /** The names on a phone, the size of the letters in units of the map, and an SVG path from dots to names that are away from them. */
  readonly phone: { readonly size: number; readonly labels: readonly Label[]; readonly lines: string };
  /** The largest cities, in order. */
  readonly largest: readonly { readonly city: string; readonly population: number }[];
}

/** Position, population and nearest cities of a city. */
export interface CityLocation {
  readonly outline: Outline;
  readonly x: number;
  readonly y: number;
  /** The position in words. */
  readonly region: string;
  readonly population: number;
  /** Radius of the ring around the nearest cities on the map, or 0 if it is too small to see. */
  readonly ring: number;
  readonly nearest: readonly { readonly place: Place; readonly miles: number }[];
}

/** Least population of each size of dot. A page that shows them has their names. */
const POPULATION_CLASSES = [0, 50_000, 250_000] as const;

/** Number of largest and of nearest cities on a page. */
const LISTED = 6;

/** The smallest radius of a ring. The map of a city is a fifth as wide as that of a state. */
const MIN_RING = 42;

/** Returns the map of a state if it shows these cities. */
async function mapOf(state: string, cities: readonly string[]): Promise<StateMap | undefined> {
  const map = (await loadGeography(state))?.map;
  return map?.cities.length === cities.length ? map : undefined;
}

const outlineOf = ({ height, west, east, outline }: StateMap): Outline => ({ height, west, east, path: outline });
const pointOf = (latitude: number, longitude: number): Point => [latitude / 1000, longitude / 1000];

function positionOf(
  { projection }: StateMap,
  [latitude, longitude]: CityRecord,
): { readonly x: number; readonly y: number } {
  const [x, y] = project(projection, pointOf(latitude, longitude));
  return { x: Math.round(x), y: Math.round(y) };
}

/** Names the part of a state in which a point lies: a third of its height and a third of its width. */
function regionOf({ height, west, east }: StateMap, { x, y }: { readonly x: number; readonly y: number }): string {
  const third = (share: number): number => Math.max(0, Math.min(2, Math.floor(share * 3)));
  const row = ["north", "", "south"][third((y - MAP_PADDING) / (height - 2 * MAP_PADDING))] ?? "";
  const column = ["west", "", "east"][third((x - west) / (east - west))] ?? "";
  return row + column || "center";
}

/** Returns an SVG path with a point per position. Sorted and relative, because it compresses better. */
function dotsOf(positions: readonly { readonly x: number; readonly y: number }[]): string {
  let [lastX, lastY] = [0, 0];
  return positions
    .toSorted((one, other) => one.x - other.x || one.y - other.y)
    .map(({ x, y }) => {
      const step = `m${String(x - lastX)} ${String(y - lastY)}h0`;
      [lastX, lastY] = [x, y];
      return step;
    })
    .join("");
}

/** Size of the letters on a wide screen, as in the component, in units of the map. */
const LETTERS = 13;

/** Distance of a name from its dot, and from the end of its leader line, in units of the map. */
const DOT_GAP = 8;
const LINE_GAP = 3;

type Position = ReturnType<typeof positionOf>;

/** Attributes of a name by its side of a point. */
const LABEL_PLACES: Readonly<Record<LabelSide, (point: Position, gap: number, size: number) => Omit<Label, "city">>> = {
  right: ({ x, y }, gap, size) => ({ x: x + gap, y: y + Math.round(size / 3) }),
  left: ({ x, y }, gap, size) => ({ x: x - gap, y: y + Math.round(size / 3), textAnchor: "end" }),
  top: ({ x, y }, gap) => ({ x, y: y - gap - 1, textAnchor: "middle" }),
  bottom: ({ x, y }, gap) => ({ x, y: y + gap, textAnchor: "middle", dominantBaseline: "hanging" }),
};

/** Returns the map of a state's page. */
export async function locateState(state: string, cities: readonly string[]): Promise<StateLocation | undefined> {
  const map = await mapOf(state, cities);
  if (!map) return undefined;
  const located = map.cities.map((city) => ({ ...positionOf(map, city), population: city[2] }));
  const labelsOf = (labels: readonly CityLabel[], size: number) =>
    labels.flatMap(([index, side, right, down = 0]) => {
      const [city, dot] = [cities[index], located[index]];
      if (city === undefined || !dot) return [];
      const end = right === undefined ? undefined : { x: dot.x + right, y: dot.y + down };
      const text = LABEL_PLACES[side](end ?? dot, end ? LINE_GAP : DOT_GAP, size);
      const line = end && `M${String(dot.x)} ${String(dot.y)}L${String(end.x)} ${String(end.y)}`;
      return [{ label: { city, ...text }, dot, line }];
    });
  const phone = labelsOf(map.phone.labels, map.phone.size);
  return {
    outline: outlineOf(map),
    dots: POPULATION_CLASSES.map((least, index) => {
      const limit = POPULATION_CLASSES[index + 1] ?? Infinity;
      return dotsOf(located.filter(({ population }) => population >= least && population < limit));
    }),
    labels: labelsOf(map.labels, LETTERS).map(({ label, dot }) => ({ ...label, region: regionOf(map, dot) })),
    phone: {
      size: map.phone.size,
      labels: phone.map(({ label }) => label),
      lines: phone.map(({ line }) => line).join(""),
    },
    largest: located
      .map(({ population }, index) => ({ city: cities[index] ?? "", population }))
      .sort((one, other) => other.population - one.population)
      .slice(0, LISTED),
  };
}

/** The position of a city on its state's map. */
export interface PositionOnMap {
  readonly city: string;
  readonly x: number;
  readonly y: number;
}

/** Returns the positions of all cities on the map of a state's page. */
export async function positionsOnMap(state: string, cities: readonly string[]): Promise<readonly PositionOnMap[]> {
  const map = await mapOf(state, cities);
  return map ? map.cities.map((record, index) => ({ city: cities[index] ?? "", ...positionOf(map, record) })) : [];
}

/** Returns the location of a city. */
export async function locateCity(place: Place, cities: readonly string[]): Promise<CityLocation | undefined> {
  const map = await mapOf(place.state, cities);
  const own = map?.cities[cities.indexOf(place.city)];
  if (!map || !own) return undefined;
  const position = positionOf(map, own);
  const others: readonly { readonly place: Place; readonly point: Point }[] = [
    ...map.cities.flatMap((city, index) =>
      city === own
        ? []
        : [{ place: { state: place.state, city: cities[index] ?? "" }, point: pointOf(city[0], city[1]) }],
    ),
    ...map.neighbors.map(([state, city, ...point]) => ({ place: { state, city }, point: pointOf(...point) })),
  ];
  const nearest = others
    .map((other) => ({ place: other.place, miles: milesBetween(pointOf(own[0], own[1]), other.point) }))
    .sort((one, other) => one.miles - other.miles)
    .slice(0, LISTED);
  const ring = Math.round(pixelsOf(map.projection, nearest.at(-1)?.miles ?? 0));
  return {
    outline: outlineOf(map),
    ...position,
    region: regionOf(map, position),
    population: own[2],
    ring: ring < MIN_RING ? 0 : ring,
    nearest: nearest.map(({ place: near, miles }) => ({ place: near, miles: Math.max(1, Math.round(miles)) })),
  };
}
