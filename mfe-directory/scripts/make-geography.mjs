// Generates src/data/geography/: per state its cities, and a map with the outline and its projection, the cities'
// coordinates and populations, and the cities of other states that are nearest to one of them.
//
// Run after changing data/us-cities.json or data/us-places.json: node scripts/make-geography.mjs
// With --check it writes nothing, and fails if a file differs.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { geoArea, geoAzimuthalEqualArea, geoCentroid, geoContains, geoPath } from "d3-geo";
import { feature } from "topojson-client";
import { presimplify, simplify, sphericalTriangleArea } from "topojson-simplify";

import { CITIES, differentFiles, replaceFiles, stateFiles } from "./state-files.mjs";

const FOLDER = new URL("../src/data/geography/", import.meta.url);
const readJson = async (url) => JSON.parse(await readFile(url, "utf8"));

const places = await readJson(new URL("../data/us-places.json", import.meta.url));
const atlas = presimplify(
  await readJson(createRequire(import.meta.url).resolve("us-atlas/states-10m.json")),
  sphericalTriangleArea,
);

/** Size of a map in pixels. The height depends on the state. */
const WIDTH = 320;
const MAX_HEIGHT = 270;
const PADDING = 8;

/** Triangles with less area, in square pixels, are invisible. */
const MIN_TRIANGLE = 1;

/** Islands without a listed city and with a smaller share of the state's area are left out. */
const MIN_ISLAND = 0.0008;

/** Islands farther west are left out, because they would shrink the rest: western Aleutians, northwestern Hawaii. */
const WEST_LIMITS = { Alaska: -172, Hawaii: -161 };

const NEAREST = 6;

/** The largest cities get a name on the map, unless one that is at most this many pixels away has one. */
const LABEL_CANDIDATES = 16;
const LABEL_DISTANCE = 36;
const MAX_LABELS = 5;

/** Size of a label in pixels: the height of a line, the width of a letter, and the distance from the dot. */
const LABEL = { height: 17, letter: 10.5, gap: 8 };

/** The same on phones, where the map is smaller and the letters are larger in its units. */
const PHONE_LABEL = { height: 26, letter: 16, gap: 8 };

/** Returns the unit vector of a point on the sphere. */
function vectorOf(point) {
  const [longitude, latitude] = point.map((degrees) => (degrees * Math.PI) / 180);
  return [Math.cos(latitude) * Math.cos(longitude), Math.cos(latitude) * Math.sin(longitude), Math.sin(latitude)];
}

/** Each city with its state, its index in the state's list and its position. */
const ALL = Object.entries(CITIES).flatMap(([state, cities]) =>
  cities.map((city, index) => {
    const [latitude, longitude, population] = places[state][city];
    const point = [longitude, latitude];
    return { state, city, index, point, vector: vectorOf(point), population };
  }),
);

function isShown(state, polygon, area) {
  const [west] = geoCentroid(polygon);
  const limit = WEST_LIMITS[state];
  if (limit !== undefined && (west > 0 || west < limit)) return false;
  return (
    geoArea(polygon) / area >= MIN_ISLAND ||
    ALL.some((city) => city.state === state && geoContains(polygon, city.point))
  );
}

/** Returns a state's shape without its remote and small islands. */
function shapeOf(state, topology) {
  const { geometry } = feature(
    topology,
    topology.objects.states.geometries.find(({ properties }) => properties.name === state),
  );
  const polygons = (geometry.type === "Polygon" ? [geometry.coordinates] : geometry.coordinates).map((coordinates) => ({
    type: "Polygon",
    coordinates,
  }));
  const area = geoArea(geometry);
  return {
    type: "MultiPolygon",
    coordinates: polygons.filter((polygon) => isShown(state, polygon, area)).map(({ coordinates }) => coordinates),
  };
}

/** Formats a number like SVGO: one decimal, no leading zero. */
const format = (tenths) => String(tenths / 10).replace(/^(-?)0\./, "$1.");

/** Returns the path of projected polygons, in relative coordinates. */
function pathOf(shape, projection) {
  const ring = (points) => {
    let [lastX, lastY] = [0, 0];
    const steps = points.slice(0, -1).flatMap((point, index) => {
      const [x, y] = projection(point).map((value) => Math.round(value * 10));
      const step = [x - lastX, y - lastY];
      if (index > 0 && step.every((length) => length === 0)) return [];
      [lastX, lastY] = [x, y];
      return [step.map(format)];
    });
    // A minus sign separates numbers, too.
    return `M${steps.shift().join(" ")}l${steps.flat().join(" ").replaceAll(" -", "-")}z`;
  };
  // An absolute start: the relative steps of a ring count from it.
  return shape.coordinates.flat().map(ring).join("");
}

/** Returns the cities nearest to a place. */
function nearestTo(place) {
  const nearest = [];
  for (const other of ALL) {
    // The cosine of the angle between both points. It is cheaper than the distance and sorts the same.
    const nearness = place.vector.reduce((sum, length, axis) => sum + length * other.vector[axis], 0);
    if (other === place || nearness <= nearest[NEAREST - 1]?.nearness) continue;
    const at = nearest.findIndex((known) => known.nearness < nearness);
    nearest.splice(at < 0 ? nearest.length : at, 0, { other, nearness });
    nearest.length = Math.min(nearest.length, NEAREST);
  }
  return nearest.map(({ other }) => other);
}

/** Returns the cities of other states that are among the nearest to a city of this one. */
function neighborsOf(state) {
  const nearest = new Set(ALL.filter((place) => place.state === state).flatMap(nearestTo));
  return ALL.filter((place) => place.state !== state && nearest.has(place));
}

/** Coordinates in thousandths of a degree, the precision of the source. */
const thousandths = ([longitude, latitude]) => [Math.round(latitude * 1000), Math.round(longitude * 1000)];

const overlaps = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Returns the area of a name on one side of its dot. */
function labelArea({ x, y, city }, side, { height, letter, gap } = LABEL) {
  const width = city.length * letter;
  const left = side === "right" ? x + gap : x - gap - width;
  return { left, right: left + width, top: y - height / 2, bottom: y + height / 2 };
}

/**
 * Chooses the cities with names on the map: index in the state's list, on which side of its dot the name is, and whether
 * the larger names of phones have room for it.
 */
function labelsOf(dots) {
  const [taken, takenOnPhones, labeled] = [[], [], []];
  const largest = dots.toSorted((one, other) => other.population - one.population).slice(0, LABEL_CANDIDATES);
  for (const dot of largest) {
    const { x, y, index } = dot;
    if (labeled.length === MAX_LABELS) break;
    if (labeled.some((other) => Math.hypot(other.x - x, other.y - y) <= LABEL_DISTANCE)) continue;
    const [best] = ["right", "left"]
      .map((side) => ({ side, ...labelArea(dot, side) }))
      .filter((box) => box.left >= 0 && box.right <= WIDTH && !taken.some((other) => overlaps(box, other)))
      .map((box) => ({ box, hidden: dots.filter((dot) => overlaps(box, areaOf(dot))).length }))
      .sort((one, other) => one.hidden - other.hidden);
    if (!best) continue;
    taken.push(best.box, areaOf(dot));
    const phoneBox = labelArea(dot, best.box.side, PHONE_LABEL);
    const fitsPhone = !takenOnPhones.some((other) => overlaps(phoneBox, other));
    if (fitsPhone) takenOnPhones.push(phoneBox, areaOf(dot));
    labeled.push({ x, y, label: [index, best.box.side, fitsPhone] });
  }
  return labeled.map(({ label }) => label);
}

function areaOf({ x, y }) {
  return { left: x - 4, right: x + 4, top: y - 4, bottom: y + 4 };
}

function mapOf(state) {
  const [longitude, latitude] = geoCentroid(shapeOf(state, atlas));
  const projection = geoAzimuthalEqualArea()
    .rotate([-longitude, -latitude])
    .precision(0)
    .fitExtent(
      [
        [PADDING, PADDING],
        [WIDTH - PADDING, MAX_HEIGHT - PADDING],
      ],
      shapeOf(state, atlas),
    );
  const shape = shapeOf(state, simplify(atlas, MIN_TRIANGLE / projection.scale() ** 2));
  const [[left, top], [right, bottom]] = geoPath(projection).bounds(shape);
  const [x, y] = projection.translate();
  projection.translate([x, y - top + PADDING]);
  const dots = ALL.filter((city) => city.state === state).map((city) => {
    const [x, y] = projection(city.point).map(Math.round);
    return { ...city, x, y };
  });
  return {
    height: Math.ceil(bottom - top + 2 * PADDING),
    west: Math.round(left),
    east: Math.round(right),
    outline: pathOf(shape, projection),
    projection: [longitude, latitude, projection.scale(), ...projection.translate()].map(
      (value) => Math.round(value * 1000) / 1000,
    ),
    cities: dots.map(({ point, population }) => [...thousandths(point), population]),
    neighbors: neighborsOf(state).map((place) => [place.state, place.city, ...thousandths(place.point)]),
    labels: labelsOf(dots),
  };
}

const head = `// Generated by scripts/make-geography.mjs from data/us-cities.json, data/us-places.json and us-atlas.

/** Loads the geography of several states: an object with a \`StateGeography\` of geography.ts by state name. */
export type LoadStates = () => Promise<{ readonly default: unknown }>;

/** Loaders of all states, each with the first of its states, in alphabetical order. */
export const LOADERS: readonly (readonly [first: string, load: LoadStates])[] = `;

const files = stateFiles((state) => JSON.stringify({ cities: CITIES[state], map: mapOf(state) }), head);
if (process.argv.includes("--check")) {
  const differ = await differentFiles(FOLDER, files);
  if (differ.length > 0) {
    process.stderr.write(`run \`node scripts/make-geography.mjs\`: these files differ: ${differ.join(", ")}\n`);
    process.exitCode = 1;
  }
} else {
  await replaceFiles(FOLDER, files);
  process.stdout.write(`${files.size - 1} files in ${fileURLToPath(FOLDER)}\n`);
}
