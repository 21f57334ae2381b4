// Splits data/us-cities.json into src/data/cities/: a file for each state, and index.ts, which knows how to
// load each of them. One file a state means one chunk a state: a page loads the cities of its own state alone.
//
// Run it after the table has changed: node scripts/split-cities.mjs
// Source, licence and attribution of the table: data/us-cities.meta.json.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const TABLE = new URL("../data/us-cities.json", import.meta.url);
const FOLDER = new URL("../src/data/cities/", import.meta.url);

const slugOf = (state) => state.toLowerCase().replaceAll(" ", "-");
// A list as Prettier would format it.
const format = (cities) => {
  const line = `[${cities.map((city) => JSON.stringify(city)).join(", ")}]`;
  return line.length <= 120 ? line : JSON.stringify(cities, null, 2);
};
const keyOf = (state) => (/^\w+$/.test(state) ? state : JSON.stringify(state));

const lists = Object.entries(JSON.parse(await readFile(TABLE, "utf8")));

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
for (const [state, cities] of lists) {
  await writeFile(new URL(`${slugOf(state)}.json`, FOLDER), `${format(cities)}\n`);
}
await writeFile(
  new URL("index.ts", FOLDER),
  `// Written by scripts/split-cities.mjs from data/us-cities.json.

/** Loads the names of a state's cities. */
export type LoadCities = () => Promise<{ readonly default: readonly string[] }>;

/** The loader of each state in the city table, by the state's name. Each list is a chunk of its own. */
export const CITY_TABLE: Readonly<Partial<Record<string, LoadCities>>> = {
${lists.map(([state]) => `  ${keyOf(state)}: () => import("./${slugOf(state)}.json"),`).join("\n")}
};
`,
);

const total = lists.reduce((sum, [, cities]) => sum + cities.length, 0);
process.stdout.write(`${lists.length} states, ${total} cities in ${fileURLToPath(FOLDER)}\n`);
