import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { bundle } from "lightningcss";

const require = createRequire(import.meta.url);
const FOLDER = path.resolve(import.meta.dirname, "..");

// Selectors that match specimens with a permanent interaction state.
const STATE_SELECTORS: Readonly<Record<string, string>> = {
  hover: '[data-state="hover"] *',
  active: '[data-state="active"] :is(a, button)',
  "focus-visible": '[data-state="focus"] :is(a, button, input, summary)',
};

/** Returns the design system's stylesheet, with pseudo-classes also matching specimen states, and the gallery's own. */
export function galleryStyles(): string {
  const { code } = bundle({ filename: require.resolve("@colonnade/design/design.css") });
  const design = Buffer.from(code)
    .toString()
    .replace(
      /(?<!:):(hover|active|focus-visible)(?![\w-])/g,
      (rule, name: string) => `:is(${rule}, ${STATE_SELECTORS[name] ?? ""})`,
    );
  return design + readFileSync(path.join(FOLDER, "gallery.css"), "utf8");
}

/** Weights of the screenshot font. */
const WEIGHTS = [400, 600] as const;

/** URL path prefix of the screenshot font. */
const FONT_PATH = "/fonts/";

/** Returns the stylesheet of the screenshot font, which makes screenshots independent of installed fonts. */
export function fixedFont(): string {
  const faces = WEIGHTS.map(
    (weight) =>
      `@font-face { font-family: "Fixed"; font-weight: ${String(weight)}; src: url("${FONT_PATH}${String(weight)}.woff2"); }`,
  );
  // geometricPrecision disables hinting, which depends on the machine's settings.
  return [
    ...faces,
    ':root { --font-text: "Fixed"; --font-heading: "Fixed"; }',
    "* { text-rendering: geometricPrecision; }",
  ].join("\n");
}

/** Returns the font file for a path below {@link FONT_PATH}, or null. */
export function fontFile(requested: string): Buffer | null {
  const weight = WEIGHTS.find((known) => requested === `${FONT_PATH}${String(known)}.woff2`);
  if (weight === undefined) return null;
  return readFileSync(require.resolve(`@fontsource/inter/files/inter-latin-${String(weight)}-normal.woff2`));
}
