// Renders the shell's images from its SVGs: icons and the social sharing image. Words are outlines: text would depend on the
// machine's fonts.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { Resvg } from "@resvg/resvg-js";

const FAVICON = path.join(import.meta.dirname, "../src/favicon.svg");
const SOCIAL = path.join(import.meta.dirname, "social.svg");
const OUTPUT = path.join(import.meta.dirname, "drawn");
/** What the site serves at its root: `files.folder` of site.toml. */
const AT_ROOT = path.join(OUTPUT, "root");

/** Removes the favicon's rounded corners: platforms crop home screen icons themselves. @param {string} svg */
function withoutCorners(svg) {
  const square = svg.replace(/ rx="\d+"/, "");
  if (square === svg) throw new Error(`${FAVICON}: expected a background with rounded corners (rx)`);
  return square;
}

/** Scales the mark to the central 80%, the safe zone of a maskable icon. @param {string} svg */
function withMargin(svg) {
  return withoutCorners(svg).replace(/<path /, '<path transform="translate(16 16) scale(.8) translate(-16 -16)" ');
}

/** Returns a PNG of that width. @param {string} svg @param {number} width */
function render(svg, width) {
  const image = new Resvg(svg, { fitTo: { mode: "width", value: width }, font: { loadSystemFonts: false } }).render();
  return image.asPng();
}

/** @param {string} name @param {string} svg @param {number} width */
async function draw(name, svg, width) {
  await writeFile(path.join(OUTPUT, `${name}.png`), render(svg, width));
}

/** Returns an ICO file of PNGs: a header of 6 bytes, 16 bytes for each, and the PNGs. @param {string} svg @param {number[]} sizes */
function icoOf(svg, sizes) {
  const images = sizes.map((size) => render(svg, size));
  const directory = Buffer.alloc(6 + 16 * images.length);
  directory.writeUInt16LE(1, 2); // Icons, not cursors.
  directory.writeUInt16LE(images.length, 4);
  let offset = directory.length;
  images.forEach((image, index) => {
    const entry = 6 + 16 * index;
    directory.fill(sizes[index] ?? 0, entry, entry + 2); // Width and height.
    directory.writeUInt16LE(1, entry + 4); // Color planes.
    directory.writeUInt16LE(32, entry + 6); // Bits of a pixel.
    directory.writeUInt32LE(image.length, entry + 8);
    directory.writeUInt32LE(offset, entry + 12);
    offset += image.length;
  });
  return Buffer.concat([directory, ...images]);
}

const [favicon, social] = await Promise.all([readFile(FAVICON, "utf8"), readFile(SOCIAL, "utf8")]);
await mkdir(AT_ROOT, { recursive: true });
await Promise.all([
  draw("touch-180", withoutCorners(favicon), 180),
  draw("icon-32", favicon, 32),
  draw("icon-192", favicon, 192),
  draw("icon-512", withMargin(favicon), 512),
  draw("social", social, 1200),
  writeFile(path.join(AT_ROOT, "favicon.ico"), icoOf(favicon, [16, 32, 48])),
]);
