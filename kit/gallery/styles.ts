import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { bundle } from "lightningcss";

const require = createRequire(import.meta.url);
const FOLDER = path.resolve(import.meta.dirname, "..");

// What a specimen shows for good instead of while a pointer or the keyboard is there.
const FORCED: Readonly<Record<string, string>> = {
  hover: '[data-state="hover"] *',
  active: '[data-state="active"] :is(a, button)',
  "focus-visible": '[data-state="focus"] :is(a, button, input, summary)',
};

/** The stylesheet that the shell ships, with each state's rules reaching the specimens of that state, and the gallery's. */
export function galleryStyles(): string {
  const { code } = bundle({ filename: require.resolve("@colonnade/kit/design.css") });
  const design = Buffer.from(code)
    .toString()
    .replace(
      /(?<!:):(hover|active|focus-visible)(?![\w-])/g,
      (rule, name: string) => `:is(${rule}, ${FORCED[name] ?? ""})`,
    );
  return design + readFileSync(path.join(FOLDER, "gallery.css"), "utf8");
}

/** Weights of the font that screenshots are taken with. */
const WEIGHTS = [400, 600] as const;

/** Where the gallery serves that font. */
export const FONT_PATH = "/fonts/";

/** A rule for the screenshots' own font, so that they are alike on machines with other fonts. */
export function fixedFont(): string {
  const faces = WEIGHTS.map(
    (weight) =>
      `@font-face { font-family: "Fixed"; font-weight: ${String(weight)}; src: url("${FONT_PATH}${String(weight)}.woff2"); }`,
  );
  // Precision: letters are drawn by their outlines alone, and not fitted to pixels as the machine's settings have it.
  return [
    ...faces,
    ':root { --font-text: "Fixed"; --font-heading: "Fixed"; }',
    "* { text-rendering: geometricPrecision; }",
  ].join("\n");
}

/** The font's file for a path below {@link FONT_PATH}, or null. */
export function fontFile(requested: string): Buffer | null {
  const weight = WEIGHTS.find((known) => requested === `${FONT_PATH}${String(known)}.woff2`);
  if (weight === undefined) return null;
  return readFileSync(require.resolve(`@fontsource/inter/files/inter-latin-${String(weight)}-normal.woff2`));
}
