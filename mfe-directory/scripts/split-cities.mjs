// Splits data/us-cities.json into src/data/cities/: a file for each state, and index.ts, which knows how to
// load each of them. A page loads its own state's cities with those of a few states beside it: every chunk there is costs
// each page its digest, so that one chunk a state would cost more than it saves.
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

/** Names in a chunk, unless one state has more by itself: about 2 KB, compressed. */
const CHUNK = 400;

/** The number of the chunk of each state, in order. */
function chunksOf() {
  let chunk = 1;
  let names = 0;
  return lists.map(([, cities]) => {
    if (names > 0 && names + cities.length > CHUNK) {
      chunk += 1;
      names = 0;
    }
    names += cities.length;
    return chunk;
  });
}

await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
for (const [state, cities] of lists) {
  await writeFile(new URL(`${slugOf(state)}.json`, FOLDER), `${format(cities)}\n`);
}
const chunks = chunksOf();
const loaderOf = ([state], index) =>
  `  ${keyOf(state)}: () => import(/* webpackChunkName: "cities-${chunks[index]}" */ "./${slugOf(state)}.json"),`;
await writeFile(
  new URL("index.ts", FOLDER),
  `// Written by scripts/split-cities.mjs from data/us-cities.json.

/** Loads the names of a state's cities. */
export type LoadCities = () => Promise<{ readonly default: readonly string[] }>;

/** The loader of each state in the city table, by the state's name. Lists that stand side by side share a chunk. */
export const CITY_TABLE: Readonly<Partial<Record<string, LoadCities>>> = {
${lists.map(loaderOf).join("\n")}
};
`,
);

const total = lists.reduce((sum, [, cities]) => sum + cities.length, 0);
process.stdout.write(`${lists.length} states, ${total} cities in ${fileURLToPath(FOLDER)}\n`);
