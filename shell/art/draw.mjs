// Draws the shell's pictures from its vector art: icons for home screens, and what is shown where a page is shared.
// No text is drawn: it would look as the fonts of the machine do.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import { Resvg } from "@resvg/resvg-js";

const FAVICON = path.join(import.meta.dirname, "../src/favicon.svg");
const SOCIAL = path.join(import.meta.dirname, "social.svg");
const OUTPUT = path.join(import.meta.dirname, "drawn");

/** The favicon's colour, to its very edge: who shows such an icon cuts it to a shape of its own. @param {string} svg */
function withoutCorners(svg) {
  const square = svg.replace(/ rx="\d+"/, "");
  if (square === svg) throw new Error(`${FAVICON}: expected a ground with rounded corners`);
  return square;
}

/** The favicon with its mark within the middle four fifths, which no shape cuts off. @param {string} svg */
function withMargin(svg) {
  return withoutCorners(svg).replace(/<path /, '<path transform="translate(16 16) scale(.8) translate(-16 -16)" ');
}

/** @param {string} name @param {string} svg @param {number} width */
async function draw(name, svg, width) {
  const drawn = new Resvg(svg, { fitTo: { mode: "width", value: width }, font: { loadSystemFonts: false } }).render();
  await writeFile(path.join(OUTPUT, `${name}.png`), drawn.asPng());
}

const [favicon, social] = await Promise.all([readFile(FAVICON, "utf8"), readFile(SOCIAL, "utf8")]);
await mkdir(OUTPUT, { recursive: true });
await Promise.all([
  draw("touch-180", withoutCorners(favicon), 180),
  draw("icon-192", favicon, 192),
  draw("icon-512", withMargin(favicon), 512),
  draw("social", social, 1200),
]);
