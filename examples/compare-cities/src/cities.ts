import { pathTo } from "@colonnade/kit";

/** A city with its climate. */
export interface City {
  readonly name: string;
  /** Mean temperature of each month, in °C. */
  readonly temperatures: readonly number[];
}

/** All cities, by name. */
export const CITIES: ReadonlyMap<string, City> = new Map(
  [
    { name: "Amsterdam", temperatures: [4, 4, 6, 9, 13, 16, 18, 18, 15, 11, 7, 5] },
    { name: "Lisbon", temperatures: [12, 12, 14, 16, 18, 21, 23, 24, 22, 19, 15, 12] },
    { name: "Oslo", temperatures: [-3, -3, 1, 6, 12, 16, 18, 17, 12, 6, 1, -3] },
    { name: "São Paulo", temperatures: [23, 23, 22, 21, 18, 17, 17, 18, 19, 20, 21, 22] },
  ].map((city) => [city.name, city]),
);

/** The path of the page that compares two cities. */
export function comparisonPath(one: string, other: string): string {
  return pathTo("/compare-cities/:one/:other", { one, other });
}
