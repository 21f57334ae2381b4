// Generates the pictures of the featured ads in src/art/: abstract tiles, never people. The file name seeds each
// picture, so the output is reproducible.
//
// Run after changing photo names in content/ads.json: node scripts/make-art.mjs
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { argv, stdout } from "node:process";
import { fileURLToPath } from "node:url";

const ADS = new URL("../content/ads.json", import.meta.url);
const FOLDER = new URL("../src/art/", import.meta.url);
const TILE = 80;
const COLUMNS = 4;
const ROWS = 5;
const WIDTH = COLUMNS * TILE;
const HEIGHT = ROWS * TILE;

/** A circle looks the same after each turn. Not turned, all circles compress to fewer bytes. */
const CIRCLE = [
  [0.25, 0.5],
  [0.75, 0.5, { radius: 0.25, sweep: 0 }],
  [0.25, 0.5, { radius: 0.25, sweep: 0 }],
];

/**
 * The shapes of a tile, which is 1 wide and high: steps from the first point to the last one, each a straight line, or an
 * arc with a radius and the sweep of SVG. The first one is a tile without a shape.
 */
const SHAPES = [
  [],
  [
    [0, 0],
    [1, 0],
    [0, 1, { radius: 1, sweep: 1 }],
  ],
  [
    [0, 0],
    [1, 0, { radius: 0.5, sweep: 0 }],
  ],
  [
    [0, 0],
    [1, 0],
    [0, 1],
  ],
  CIRCLE,
  [
    [0, 0],
    [0.5, 0],
    [0.5, 1],
    [0, 1],
  ],
  [
    [0, 0.5],
    [1, 0.5, { radius: 0.5, sweep: 1 }],
    [1, 1],
    [0, 1],
  ],
];

// FNV-1a hashes the name into the seed of mulberry32.
function randomFrom(name) {
  let seed = 0x811c9dc5;
  for (const byte of Buffer.from(name)) seed = Math.imul(seed ^ byte, 0x01000193);
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let mixed = Math.imul(seed ^ (seed >>> 15), seed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

// Returns a color as sRGB in hexadecimal digits (CSS Color 4, section 7.1).
function hex(hue, saturation, lightness) {
  const amplitude = saturation * Math.min(lightness, 1 - lightness);
  const channel = (offset) => {
    const turn = (offset + hue / 30) % 12;
    const value = lightness - amplitude * Math.max(-1, Math.min(turn - 3, 9 - turn, 1));
    return Math.round(value * 255)
      .toString(16)
      .padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

/** The hue of the site's accent. Those of a picture are at most 40 degrees away. */
export const HUE = 330;

// Dusk: a dark ground, which suits both color schemes, and inks in fixed steps of lightness.
function paletteFrom(random) {
  const hue = HUE - 16 + Math.floor(random() * 33);
  const tone = (turn, saturation, lightness) => hex((hue + turn + 360) % 360, saturation / 100, lightness / 100);
  return {
    ground: [tone(-12, 46, 22), tone(12, 40, 38)],
    inks: [tone(-24, 40, 32), tone(0, 42, 46), tone(12, 48, 60), tone(24, 58, 74), tone(24, 60, 90)],
  };
}

// Without the zero before the decimal point.
const format = (number) => String(number).replace(/^0\./, ".");

// Returns the path of a shape that is turned clockwise by quarters and then moved.
function pathOf(shape, quarters, column, row) {
  let last = [];
  const steps = shape.map(([x, y, arc]) => {
    for (let quarter = 0; quarter < quarters; quarter += 1) [x, y] = [1 - y, x];
    const point = [x + column, y + row];
    const [isSameColumn, isSameRow] = point.map((value, axis) => value === last[axis]);
    const isFirst = last.length === 0;
    last = point;
    const [right, down] = point.map(format);
    if (isFirst) return `M${right} ${down}`;
    if (arc) return `A${format(arc.radius)} ${format(arc.radius)} 0 0 ${arc.sweep} ${right} ${down}`;
    if (isSameColumn) return `V${down}`;
    return isSameRow ? `H${right}` : `L${right} ${down}`;
  });
  return steps.join("");
}

// A path per ink: the tiles do not overlap, so their order does not matter.
function picture(name) {
  const random = randomFrom(name);
  const { ground, inks } = paletteFrom(random);
  const paths = new Map();
  for (let index = 0; index < COLUMNS * ROWS; index += 1) {
    const ink = inks[Math.floor(random() * inks.length)];
    const quarters = Math.floor(random() * 4);
    const shape = SHAPES[Math.floor(random() * SHAPES.length)];
    const path = pathOf(shape, shape === CIRCLE ? 0 : quarters, index % COLUMNS, Math.floor(index / COLUMNS));
    paths.set(ink, (paths.get(ink) ?? "") + path);
  }
  const tiles = [...paths].filter(([, path]) => path !== "").map(([ink, path]) => `<path fill="${ink}" d="${path}"/>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">`,
    `<linearGradient id="g" x2="1" y2="1"><stop stop-color="${ground[0]}"/><stop offset="1" stop-color="${ground[1]}"/></linearGradient>`,
    `<path fill="url(#g)" d="M0 0H${WIDTH}V${HEIGHT}H0"/><g transform="scale(${TILE})">${tiles.join("")}</g>`,
    `<path fill="#2a0f1d" d="M0 ${HEIGHT - 56}H${WIDTH}v56H0"/>`,
    `<text x="${WIDTH / 2}" y="${HEIGHT - 19}" font-family="sans-serif" font-size="26" font-weight="700" letter-spacing="9" text-anchor="middle" fill="#fbeff3">SAMPLE</text></svg>\n`,
  ].join("");
}

/** Returns the pictures by file name. */
export async function pictures() {
  const { featured } = JSON.parse(await readFile(ADS, "utf8"));
  return new Map(featured.flatMap((ad) => ad.photos).map((name) => [name, picture(name)]));
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const files = await pictures();
  await mkdir(FOLDER, { recursive: true });
  for (const file of await readdir(FOLDER)) if (file.endsWith(".svg")) await rm(new URL(file, FOLDER));
  for (const [name, svg] of files) await writeFile(new URL(name, FOLDER), svg);
  stdout.write(`${files.size} pictures: ${[...files.keys()].join(", ")}\n`);
}
