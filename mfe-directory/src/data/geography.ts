import { LOADERS } from "./geography/index";
import type { Projection } from "../map/geometry";

/** Latitude, longitude and population of a city. */
export type CityRecord = readonly [latitude: number, longitude: number, population: number];
type Neighbor = readonly [state: string, city: string, latitude: number, longitude: number];

/** The side of its dot, or of the end of its leader line, on which a city's name is. */
export type LabelSide = "left" | "right" | "top" | "bottom";

/** A generated map of a state. Latitudes and longitudes are in thousandths of a degree. */
export interface StateMap {
  /** Height of the image. */
  readonly height: number;
  /** Horizontal bounds of the outline. */
  readonly west: number;
  readonly east: number;
  /** An SVG path. */
  readonly outline: string;
  /** The projection of the outline. */
  readonly projection: Projection;
  /** The state's cities, in the order of its list. */
  readonly cities: readonly CityRecord[];
  /** The cities of other states that are among the nearest to one of this state. */
  readonly neighbors: readonly Neighbor[];
  /** Cities with a name on the map, and the side of the name. */
  readonly labels: readonly CityLabel[];
  /** The same on a phone, and the size of the letters in units of the map. */
  readonly phone: { readonly size: number; readonly labels: readonly CityLabel[] };
}

/** A city with a name on a map, by its index in the state's list. A name away from its dot has a leader line, with an offset of its end. */
export type CityLabel = readonly [index: number, side: LabelSide, right?: number, down?: number];

/** What the pages know of a state's cities. */
export interface StateGeography {
  /** The names of its cities in alphabetical order. */
  readonly cities: readonly string[];
  readonly map?: StateMap;
}

/** Loads the geography of a state, or undefined if no file has it. */
export async function loadGeography(state: string): Promise<StateGeography | undefined> {
  const load = LOADERS.findLast(([first]) => first <= state)?.[1];
  // A test verifies that the generated files are up to date.
  const states = (await load?.())?.default as Readonly<Record<string, StateGeography>> | undefined;
  return states && Object.hasOwn(states, state) ? states[state] : undefined;
}
