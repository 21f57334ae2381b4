import { STATES, type State } from "./states";

/** A state's place in the tile map, counted from 0. */
interface Tile {
  readonly state: State;
  readonly column: number;
  readonly row: number;
}

// Each state is one tile, roughly where it is. Three characters per column.
const LAYOUT = `
AK                            ME
               WI          VT NH
WA ID MT ND MN IL MI    NY MA
OR NV WY SD IA IN OH PA NJ CT RI
CA UT CO NE MO KY WV VA MD DE
   AZ NM KS AR TN NC SC
         OK LA MS AL GA
HI       TX             FL
`;

/** Number of columns of the tile map. */
export const TILE_COLUMNS = 11;

/** The tiles of all states, row by row. */
export const TILES: readonly Tile[] = LAYOUT.trim()
  .split("\n")
  .flatMap((line, row) =>
    [...line.matchAll(/\w\w/g)].flatMap(({ 0: code, index }) => {
      const state = STATES.find((known) => known.code === code);
      return state ? [{ state, column: index / 3, row }] : [];
    }),
  );

/** Least number of cities of each shade. */
export const SHADES = [1, 15, 40, 80, 150] as const;

/** Returns the index of a state's shade. */
export function shadeOf({ cityCount }: State): number {
  return SHADES.findLastIndex((least) => cityCount >= least);
}
