// Writes files with data of several states each, and an index with their loaders. Adjacent states share a file, because
// every page contains the digest of every chunk: a chunk per state would cost more than it saves.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";

/** Maximum number of cities per file. A larger state has its own file. */
const MAX_FILE_CITIES = 400;

const slugOf = (state) => state.toLowerCase().replaceAll(" ", "-");

/** The city table: the sorted cities of each state, by state in alphabetical order. */
export const CITIES = JSON.parse(await readFile(new URL("../data/us-cities.json", import.meta.url), "utf8"));

/** Returns the states of each file. */
function groups() {
  const all = [];
  let count = Infinity;
  for (const [state, cities] of Object.entries(CITIES)) {
    count += cities.length;
    if (count > MAX_FILE_CITIES) {
      all.push([]);
      count = cities.length;
    }
    all.at(-1).push(state);
  }
  return all;
}

/** Returns the files by name, with a line per state. `jsonOf` returns the JSON of a state; `head` begins `index.ts`. */
export function stateFiles(jsonOf, head) {
  const files = groups().map((states) => ({
    first: states[0],
    name: `${slugOf(states[0])}${states.length === 1 ? "" : `-to-${slugOf(states.at(-1))}`}.json`,
    content: `{\n${states.map((state) => `"${state}":${jsonOf(state)}`).join(",\n")}\n}\n`,
  }));
  const loaders = files.map(({ first, name }) => `  ["${first}", () => import("./${name}")],\n`).join("");
  return new Map([...files.map(({ name, content }) => [name, content]), ["index.ts", `${head}[\n${loaders}];\n`]]);
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
