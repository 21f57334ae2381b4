// Writes a file per state, and an index with their loaders. Adjacent states share a chunk, because every page contains
// the digest of every chunk: one chunk per state would cost more than it saves.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";

/** Maximum number of cities per chunk. A larger state has its own chunk. */
const MAX_CHUNK_CITIES = 400;

const slugOf = (state) => state.toLowerCase().replaceAll(" ", "-");
const keyOf = (state) => (/^\w+$/.test(state) ? state : JSON.stringify(state));

/** The city table: the sorted cities of each state. */
export const CITIES = JSON.parse(await readFile(new URL("../data/us-cities.json", import.meta.url), "utf8"));

/** Returns the chunk number of each state. */
function chunksOf(lists) {
  let chunk = 1;
  let names = 0;
  return lists.map((cities) => {
    if (names > 0 && names + cities.length > MAX_CHUNK_CITIES) {
      chunk += 1;
      names = 0;
    }
    names += cities.length;
    return chunk;
  });
}

/** Returns the lines of an object with a loader per state. */
export function loaderLines() {
  const chunks = chunksOf(Object.values(CITIES));
  return Object.keys(CITIES)
    .map(
      (state, index) =>
        `  ${keyOf(state)}: () => import(/* webpackChunkName: "cities-${chunks[index]}" */ "./${slugOf(state)}.json"),`,
    )
    .join("\n");
}

/** Returns the files of a folder by name. `jsonOf` returns the JSON of a state; `index` is the source of `index.ts`. */
export function stateFiles(jsonOf, index) {
  const files = Object.entries(CITIES).map(([state, cities]) => [
    `${slugOf(state)}.json`,
    `${jsonOf(state, cities)}\n`,
  ]);
  return new Map([...files, ["index.ts", index]]);
}

/** Replaces the files of a folder. */
export async function replaceFiles(folder, files) {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  for (const [name, content] of files) await writeFile(new URL(name, folder), content);
}

/** Returns the names of files in a folder that differ from the given ones. */
export async function differentFiles(folder, files) {
  const differ = async ([name, content]) =>
    (await readFile(new URL(name, folder), "utf8").catch(() => undefined)) === content ? [] : [name];
  return (await Promise.all([...files].map(differ))).flat();
}
