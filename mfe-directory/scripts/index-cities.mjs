// Writes src/data/cityIndex.txt, which the place search loads: a line per state, with its name and its cities, separated
// by "|". The last character of a city is the class of its population, which orders results: a digit of base 36.
//
// Run after changing data/us-cities.json or data/us-places.json: node scripts/index-cities.mjs
import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { fileURLToPath } from "node:url";

const INDEX = new URL("../src/data/cityIndex.txt", import.meta.url);

const read = async (name) => JSON.parse(await readFile(new URL(`../data/${name}`, import.meta.url), "utf8"));

// Three classes per doubling, from 5,000.
function classOf(population) {
  const number = Math.round(3 * Math.log2(population / 5000));
  return Math.max(0, Math.min(35, number)).toString(36);
}

/** Returns the index of all cities. */
export async function cityIndex() {
  const [cities, places] = await Promise.all([read("us-cities.json"), read("us-places.json")]);
  const lines = Object.entries(cities).map(([state, names]) =>
    [state, ...names.map((name) => `${name}${classOf(places[state][name][2])}`)].join("|"),
  );
  return `${lines.join("\n")}\n`;
}

if (argv[1] === fileURLToPath(import.meta.url)) await writeFile(INDEX, await cityIndex());
