// Generates the pictures of the featured ads in src/art/: abstract tiles, never people. The file name seeds each
// picture, so the output is reproducible.
//
// Run after changing photo names in content/ads.json: node scripts/make-art.mjs
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";

const ADS = new URL("../content/ads.json", import.meta.url);
const FOLDER = new URL("../src/art/", import.meta.url);
const TILE = 80;
const COLUMNS = 4;
const ROWS = 5;
const WIDTH = COLUMNS * TILE;
const HEIGHT = ROWS * TILE;

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

// Four related colors and a complementary one.
function paletteFrom(random) {
  const hue = Math.floor(random() * 360);
  const tone = (turn, saturation, lightness) => `hsl(${(hue + turn) % 360} ${saturation}% ${lightness}%)`;
  return {
    ground: [tone(0, 34, 88), tone(40, 30, 76)],
    inks: [tone(0, 38, 42), tone(24, 44, 58), tone(-24 + 360, 34, 70), tone(180, 32, 46), tone(12, 50, 92)],
  };
}

function tile(random, inks, x, y) {
  const ink = inks[Math.floor(random() * inks.length)];
  const turn = Math.floor(random() * 4) * 90;
  const half = TILE / 2;
  const shapes = [
    "",
    `<path d="M0 0H${TILE}A${TILE} ${TILE} 0 0 1 0 ${TILE}z"/>`,
    `<path d="M0 0A${half} ${half} 0 0 0 ${TILE} 0z"/>`,
    `<path d="M0 0H${TILE}L0 ${TILE}z"/>`,
    `<circle cx="${half}" cy="${half}" r="${half / 2}"/>`,
    `<path d="M0 0H${half}V${TILE}H0z"/>`,
    `<path d="M0 ${half}A${half} ${half} 0 0 1 ${TILE} ${half}V${TILE}H0z"/>`,
  ];
  const shape = shapes[Math.floor(random() * shapes.length)];
  return shape && `<g fill="${ink}" transform="translate(${x} ${y}) rotate(${turn} ${half} ${half})">${shape}</g>`;
}

function picture(name) {
  const random = randomFrom(name);
  const { ground, inks } = paletteFrom(random);
  const tiles = Array.from({ length: COLUMNS * ROWS }, (_, index) =>
    tile(random, inks, (index % COLUMNS) * TILE, Math.floor(index / COLUMNS) * TILE),
  ).filter(Boolean);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}">
<defs><linearGradient id="g" x2="1" y2="1"><stop stop-color="${ground[0]}"/><stop offset="1" stop-color="${ground[1]}"/></linearGradient></defs>
<path fill="url(#g)" d="M0 0H${WIDTH}V${HEIGHT}H0z"/>
${tiles.join("\n")}
<path fill="#fff" fill-opacity=".88" d="M0 ${HEIGHT - 56}H${WIDTH}V${HEIGHT}H0z"/>
<text x="${WIDTH / 2}" y="${HEIGHT - 19}" font-family="sans-serif" font-size="26" font-weight="700" letter-spacing="9" text-anchor="middle" fill="#222">SAMPLE</text>
</svg>
`;
}

const { featured } = JSON.parse(await readFile(ADS, "utf8"));
const names = featured.flatMap((ad) => ad.photos);

await mkdir(FOLDER, { recursive: true });
for (const file of await readdir(FOLDER)) if (file.endsWith(".svg")) await rm(new URL(file, FOLDER));
for (const name of names) await writeFile(new URL(name, FOLDER), picture(name));
process.stdout.write(`${names.length} pictures: ${names.join(", ")}\n`);
