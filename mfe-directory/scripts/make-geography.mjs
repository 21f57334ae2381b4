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

/** Corners of an outline whose triangle has less area, in square pixels, are left out. */
const MIN_TRIANGLE = 2;

/** Islands without a listed city and with a smaller share of the state's area are left out. */
const MIN_ISLAND = 0.0008;

/** Islands farther west are left out, because they would shrink the rest: western Aleutians, northwestern Hawaii. */
const WEST_LIMITS = { Alaska: -172, Hawaii: -161 };

const NEAREST = 6;

/**
 * The largest city, the capital and cities that are better known than a larger neighbor get a name on the map first, then
 * the next largest ones, unless a city that is at most this many pixels away has one.
 */
const LABEL_CANDIDATES = 24;
const LABEL_DISTANCE = 24;
const MAX_LABELS = 5;
const BETTER_KNOWN = {
  California: ["San Francisco"],
  Kentucky: ["Lexington"],
  Nevada: ["Reno"],
  "New York": ["Syracuse"],
  Texas: ["Dallas"],
};

/**
 * Width of the image on a usual phone, its height, the width of the narrowest phone, and the height of letters, in pixels of
 * the screen. A high map leaves room at its sides, up to the edges of the screen.
 */
const PHONE = { width: 358, maxHeight: 184, minScreen: 320, letters: 14 };

/** Cost of a name on a side of its dot, in hidden dots. */
const SIDES = { right: 0, left: 0.3, top: 0.6, bottom: 0.9 };

/** A name that hides more dots is left out, unless the city is important: that of one of the largest cities, and others. */
const LARGEST = 4;
const WIDE_LIMITS = { sought: Infinity, largest: 20, others: 5 };

/** A name in pixels: the size of its letters, the distance from its dot, and from the edges of the map, and what it may hide. */
const LABEL = { size: 13, gap: 8, margin: 4, limits: WIDE_LIMITS };

/**
 * The names on a phone are larger than its map, and hide no dot. Without a free place beside its dot, a name stands away from it, at
 * the end of a leader line: its directions, the step and the limits of its length, for a sought city and another one, but not for the largest one, the distance of the
 * name from its end, the dots that it may cross, the length that counts as much as one of them, and the distance at which it does.
 */
const PHONE_LIMITS = { sought: 0, largest: 0, others: 0 };
const LEADER = {
  directions: 24,
  step: 2,
  shortest: 12,
  longest: { sought: 56, other: 16 },
  gap: 3,
  dots: 3,
  dot: 10,
  near: 2,
};

/** Distance between the areas of two names, in units of the map. Letters on a phone are two strokes farther apart. */
const NAME_GAP = 1;

/** The stroke around letters on a phone, and how far letters reach above and below their line, as a share of their size. */
const INK = { stroke: 0.7, ascent: 0.75, descent: 0.2, hanging: 0.8 };

/** Value of a name, in hidden dots: of a city that is sought first, and of another one. */
const LABEL_VALUES = { sought: 24, other: 8 };

/** Gain for which an outline is not in the middle, in hidden dots. */
const MIN_GAIN = 4;

/** Radii of the dots by population. src/map/sizes.ts has the classes, the styles have the sizes. */
const DOTS = [
  [250_000, 5.5],
  [50_000, 3.5],
  [0, 2],
];

const CAPITALS = {
  Alabama: "Montgomery",
  Alaska: "Juneau",
  Arizona: "Phoenix",
  Arkansas: "Little Rock",
  California: "Sacramento",
  Colorado: "Denver",
  Connecticut: "Hartford",
  Delaware: "Dover",
  Florida: "Tallahassee",
  Georgia: "Atlanta",
  Hawaii: "Honolulu",
  Idaho: "Boise",
  Illinois: "Springfield",
  Indiana: "Indianapolis",
  Iowa: "Des Moines",
  Kansas: "Topeka",
  Kentucky: "Frankfort",
  Louisiana: "Baton Rouge",
  Maine: "Augusta",
  Maryland: "Annapolis",
  Massachusetts: "Boston",
  Michigan: "Lansing",
  Minnesota: "Saint Paul",
  Mississippi: "Jackson",
  Missouri: "Jefferson City",
  Montana: "Helena",
  Nebraska: "Lincoln",
  Nevada: "Carson City",
  "New Hampshire": "Concord",
  "New Jersey": "Trenton",
  "New Mexico": "Santa Fe",
  "New York": "Albany",
  "North Carolina": "Raleigh",
  "North Dakota": "Bismarck",
  Ohio: "Columbus",
  Oklahoma: "Oklahoma City",
  Oregon: "Salem",
  Pennsylvania: "Harrisburg",
  "Rhode Island": "Providence",
  "South Carolina": "Columbia",
  "South Dakota": "Pierre",
  Tennessee: "Nashville",
  Texas: "Austin",
  Utah: "Salt Lake City",
  Vermont: "Montpelier",
  Virginia: "Richmond",
  Washington: "Olympia",
  "West Virginia": "Charleston",
  Wisconsin: "Madison",
  Wyoming: "Cheyenne",
};

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

/** Formats a number of half pixels like SVGO: without a leading zero. */
const format = (halves) => String(halves / 2).replace(/^(-?)0\./, "$1.");

/** Returns the path of projected polygons, in relative coordinates, as exact as half a pixel. */
function pathOf(shape, projection) {
  const ring = (points) => {
    let [lastX, lastY] = [0, 0];
    const steps = points.slice(0, -1).flatMap((point, index) => {
      const [x, y] = projection(point).map((value) => Math.round(value * 2));
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

const grown = ({ left, right, top, bottom }, by) => ({
  left: left - by,
  right: right + by,
  top: top - by,
  bottom: bottom + by,
});

const overlaps = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

/** Estimates the width of a name in a wide bold font. */
function widthOf(name, size) {
  const ems = [...name].map((letter) => (/[MWmw]/.test(letter) ? 1 : /[fijlt.' ]/.test(letter) ? 0.42 : 0.7));
  return size * ems.reduce((sum, em) => sum + em, 0);
}

/** Returns the area of a name on one side of a point: as high as its font, or its ink alone. */
function labelArea({ x, y, city }, side, { size, gap, ink }) {
  const width = widthOf(city, size);
  const [left, top, line] = {
    right: [x + gap, y - size / 2, y + size / 3],
    left: [x - gap - width, y - size / 2, y + size / 3],
    top: [x - width / 2, y - gap - size, y - gap - 1],
    bottom: [x - width / 2, y + gap, y + gap + INK.hanging * size],
  }[side];
  if (!ink) return { left, right: left + width, top, bottom: top + size };
  return {
    left: left - ink.stroke,
    right: left + width + ink.stroke,
    top: line - ink.ascent * size - ink.stroke,
    bottom: line + (/[gjpqy]/.test(city) ? ink.descent * size : 0) + ink.stroke,
  };
}

/** Whether a box covers a part of a dot. */
function isOver({ left, right, top, bottom }, { x, y, radius }) {
  const [aside, away] = [Math.max(left - x, x - right, 0), Math.max(top - y, y - bottom, 0)];
  return Math.hypot(aside, away) < radius;
}

const radiusOf = ({ population }) => DOTS.find(([least]) => population >= least)[1];

function areaOf(dot) {
  const [{ x, y }, radius] = [dot, radiusOf(dot)];
  return { left: x - radius, right: x + radius, top: y - radius, bottom: y + radius };
}

/** Returns the cities that may have a name, the most important first. */
function labelOrder(state, dots, limits) {
  const [largest, ...others] = dots.toSorted((one, other) => other.population - one.population);
  const known = [...(BETTER_KNOWN[state] ?? []), CAPITALS[state]];
  const isKnown = ({ city }) => known.includes(city);
  const rest = others.filter((dot) => !isKnown(dot)).slice(0, LABEL_CANDIDATES);
  const sought = { worth: LABEL_VALUES.sought, limit: limits.sought, reach: LEADER.longest.sought };
  const large = { worth: LABEL_VALUES.sought, limit: limits.largest, reach: LEADER.longest.sought };
  const other = { worth: LABEL_VALUES.other, limit: limits.others, reach: LEADER.longest.other };
  return [
    { ...largest, ...sought, reach: WIDTH },
    ...others.filter(isKnown).map((dot) => ({ ...dot, ...sought })),
    ...rest.map((dot, rank) => ({ ...dot, ...(rank < LARGEST ? large : other) })),
  ];
}

/** Returns the names of a phone's map: their size in its units, their distance from the dot and from its edges, and the room beside it. */
function phoneLabel(height) {
  const scale = Math.min(PHONE.width / WIDTH, PHONE.maxHeight / height);
  const size = Math.round((2 * PHONE.letters) / scale) / 2;
  const beside = Math.max(0, (PHONE.minScreen * height) / PHONE.maxHeight - WIDTH) / 2;
  return { size, gap: 8, margin: 1, beside, ink: INK, leader: LEADER, limits: PHONE_LIMITS };
}

/** Returns the points of a line, about one pixel apart. */
function pointsBetween(start, end) {
  const count = Math.ceil(Math.hypot(end.x - start.x, end.y - start.y));
  return Array.from({ length: count + 1 }, (_, index) => {
    const share = index / count;
    return { x: start.x + (end.x - start.x) * share, y: start.y + (end.y - start.y) * share };
  });
}

const isIn = ({ left, right, top, bottom }, { x, y }) => x > left && x < right && y > top && y < bottom;

/** The sides of its end on which a name may be, for a line in this direction. */
function sidesToward(angle) {
  const [right, down] = [Math.cos(angle), Math.sin(angle)];
  return [right > 0.25 && "right", right < -0.25 && "left", down < -0.25 && "top", down > 0.25 && "bottom"].filter(
    Boolean,
  );
}

/** Returns the ends of the leader lines that a dot may have, the shortest first. */
function leaderEnds({ x, y, reach }) {
  const ends = [];
  for (let length = LEADER.shortest; length <= reach; length += LEADER.step) {
    for (let direction = 0; direction < LEADER.directions; direction++) {
      const angle = (direction / LEADER.directions) * 2 * Math.PI;
      const offset = [Math.cos(angle), Math.sin(angle)].map((share) => Math.round(length * share));
      ends.push({ length, offset, end: { x: x + offset[0], y: y + offset[1] }, sides: sidesToward(angle) });
    }
  }
  return ends;
}

/** Returns the distance of a point from the line between two others. */
function distanceFrom({ x, y }, start, end) {
  const [right, down] = [end.x - start.x, end.y - start.y];
  const share = ((x - start.x) * right + (y - start.y) * down) / (right ** 2 + down ** 2);
  const nearest = Math.max(0, Math.min(1, share));
  return Math.hypot(start.x + nearest * right - x, start.y + nearest * down - y);
}

/** Returns the best free place of a name away from its dot, or undefined. */
function placeAway(dot, style, { dots, taken, lines, isFree, hiddenBy }) {
  const crossed = (end) =>
    dots.filter((other) => other.index !== dot.index && distanceFrom(other, dot, end) < LEADER.near).length;
  const isClear = (line) =>
    !taken.some((box) => line.some((point) => isIn(box, point))) &&
    !lines.some((other) => line.some((point) => distanceFrom(point, other[0], other.at(-1)) < LEADER.gap));
  let best;
  for (const { length, offset, end, sides } of leaderEnds(dot)) {
    if (length >= best?.cost) break;
    const boxes = sides
      .map((side) => ({ side, box: labelArea({ ...end, city: dot.city }, side, { ...style, gap: LEADER.gap }) }))
      .filter(({ box }) => isFree(box) && hiddenBy(box) === 0);
    if (boxes.length === 0) continue;
    const [count, line] = [crossed(end), pointsBetween(dot, end)];
    const cost = length + LEADER.dot * count;
    const free = boxes.find(({ box }) => !line.some((point) => isIn(box, point)));
    if (!free || (count > LEADER.dots && dot.reach < WIDTH) || cost >= best?.cost || !isClear(line)) continue;
    best = { box: free.box, line, cost, hidden: 0, label: [free.side, ...offset] };
  }
  return best;
}

/** Returns the best place of a name beside its dot, or undefined. It may hide dots. */
function placeBeside(dot, style, { isFree, hiddenBy }) {
  const places = Object.entries(SIDES).map(([side, cost]) => ({
    cost,
    box: labelArea(dot, side, style),
    label: [side],
  }));
  const [best] = places
    .filter(({ box }) => isFree(box))
    .map((place) => ({ ...place, hidden: hiddenBy(place.box, dot.index) }))
    .sort((one, other) => one.cost + one.hidden - other.cost - other.hidden);
  return best;
}

/**
 * Chooses the cities with names on the map: index in the state's list, and on which side of its dot the name is, or of the end of
 * its leader line, whose offset from the dot follows. The largest city always has a name. Also returns the value of the names minus
 * what they hide.
 */
function labelsOf(state, dots, height, style) {
  const { margin, beside = 0, leader } = style;
  const [taken, lines, labeled] = [[], [], []];
  const isWithin = (box) =>
    box.left >= margin - beside &&
    box.right <= WIDTH - margin + beside &&
    box.top >= margin &&
    box.bottom <= height - margin;
  const [, smallest] = DOTS.at(-1);
  const circles = dots.map((dot) => ({ ...dot, radius: radiusOf(dot) }));
  const room = {
    dots,
    taken,
    lines,
    isFree: (box) =>
      isWithin(box) &&
      !taken.some((other) => overlaps(box, other)) &&
      !lines.some((line) => line.some((point) => isIn(box, point))),
    hiddenBy: (box, own) =>
      circles
        .filter((dot) => dot.index !== own && isOver(box, dot))
        .reduce((sum, { radius }) => sum + radius / smallest, 0),
  };
  for (const dot of labelOrder(state, dots, style.limits)) {
    const { x, y, index } = dot;
    if (labeled.length === MAX_LABELS) break;
    if (labeled.some((other) => Math.hypot(other.x - x, other.y - y) <= LABEL_DISTANCE)) continue;
    let place = placeBeside(dot, style, room);
    if (!place || place.hidden > dot.limit) {
      if (!leader) continue;
      place = placeAway(dot, style, room);
    }
    if (!place) continue;
    taken.push(grown(place.box, NAME_GAP), areaOf(dot));
    if (place.line) lines.push(place.line);
    labeled.push({ x, y, value: Math.max(0, dot.worth - place.hidden), label: [index, ...place.label] });
  }
  return { labels: labeled.map(({ label }) => label), value: labeled.reduce((sum, { value }) => sum + value, 0) };
}

/** Returns the shift of a narrow outline, to the right or the left, which makes the most room for names. */
function bestShift(state, dots, height, { left, right }) {
  const valueOf = (shift) =>
    labelsOf(
      state,
      dots.map((dot) => ({ ...dot, x: dot.x + shift })),
      height,
      LABEL,
    ).value;
  const shifts = [0, WIDTH - PADDING - right, PADDING - left].map((shift) => ({ shift, value: valueOf(shift) }));
  return shifts.reduce((best, other) => (other.value > best.value + MIN_GAIN ? other : best)).shift;
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
  const height = Math.ceil(bottom - top + 2 * PADDING);
  const dotsOf = () =>
    ALL.filter((city) => city.state === state).map((city) => {
      const [x, y] = projection(city.point).map(Math.round);
      return { ...city, x, y };
    });
  const [x, y] = projection.translate();
  projection.translate([x, y - top + PADDING]);
  const shift = Math.round(bestShift(state, dotsOf(), height, { left, right }));
  projection.translate([x + shift, y - top + PADDING]);
  const dots = dotsOf();
  return {
    height,
    west: Math.round(left + shift),
    east: Math.round(right + shift),
    outline: pathOf(shape, projection),
    projection: [longitude, latitude, projection.scale(), ...projection.translate()].map(
      (value) => Math.round(value * 1000) / 1000,
    ),
    cities: dots.map(({ point, population }) => [...thousandths(point), population]),
    neighbors: neighborsOf(state).map((place) => [place.state, place.city, ...thousandths(place.point)]),
    labels: labelsOf(state, dots, height, LABEL).labels,
    phone: { size: phoneLabel(height).size, labels: labelsOf(state, dots, height, phoneLabel(height)).labels },
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
