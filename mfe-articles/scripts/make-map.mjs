// Generates src/figures/unitedStates.json, the map in the legal guide: the outline of the United States, and of the states
// that it marks. Alaska and Hawaii are moved below the southwest.
//
// Run after changing MARKED: node scripts/make-map.mjs
// With --check it writes nothing, and fails if the file differs.
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";

import { geoIdentity, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import { filter, filterWeight, presimplify, simplify } from "topojson-simplify";

const FILE = new URL("../src/figures/unitedStates.json", import.meta.url);
const ATLAS = createRequire(import.meta.url).resolve("us-atlas/states-albers-10m.json");

/** States with an outline of their own. */
const MARKED = ["Maine", "Nevada"];

const WIDTH = 640;

/** The atlas is 975 by 610 pixels. */
const SCALE = WIDTH / 975;

/** Distance of a name from its state, in pixels. */
const GAP = 8;

/** The smallest triangles and islands, in square pixels of the atlas. */
const MIN_TRIANGLE = 20;
const MIN_ISLAND = 25;

const atlas = presimplify(JSON.parse(await readFile(ATLAS, "utf8")));
const simplified = filter(simplify(atlas, MIN_TRIANGLE), filterWeight(atlas, MIN_ISLAND));
const { states, nation } = simplified.objects;
const path = geoPath(geoIdentity().scale(SCALE)).digits(0);
const map = {
  width: WIDTH,
  height: Math.ceil(610 * SCALE),
  nation: path(feature(simplified, nation)),
  states: MARKED.map((name) => {
    const shape = feature(
      simplified,
      states.geometries.find(({ properties }) => properties.name === name),
    );
    const [[west], [east]] = path.bounds(shape);
    const [middle, y] = path.centroid(shape).map(Math.round);
    // On the side with more room.
    const x = Math.round(middle > WIDTH / 2 ? west - GAP : east + GAP);
    return { name, path: path(shape), x, y };
  }),
};

const content = `${JSON.stringify(map)}\n`;
if (process.argv.includes("--check")) {
  if ((await readFile(FILE, "utf8")) !== content) {
    process.stderr.write("run `node scripts/make-map.mjs`: src/figures/unitedStates.json differs\n");
    process.exitCode = 1;
  }
} else await writeFile(FILE, content);
