// Renders the shell's PNG images from its SVGs: icons and the social sharing image. Words are outlines: text would depend
// on the machine's fonts.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { Resvg } from "@resvg/resvg-js";

const FAVICON = path.join(import.meta.dirname, "../src/favicon.svg");
const SOCIAL = path.join(import.meta.dirname, "social.svg");
const OUTPUT = path.join(import.meta.dirname, "drawn");

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

/** @param {string} name @param {string} svg @param {number} width */
async function draw(name, svg, width) {
  const image = new Resvg(svg, { fitTo: { mode: "width", value: width }, font: { loadSystemFonts: false } }).render();
  await writeFile(path.join(OUTPUT, `${name}.png`), image.asPng());
}

const [favicon, social] = await Promise.all([readFile(FAVICON, "utf8"), readFile(SOCIAL, "utf8")]);
await mkdir(OUTPUT, { recursive: true });
await Promise.all([
  draw("touch-180", withoutCorners(favicon), 180),
  draw("icon-32", favicon, 32),
  draw("icon-192", favicon, 192),
  draw("icon-512", withMargin(favicon), 512),
  draw("social", social, 1200),
]);
