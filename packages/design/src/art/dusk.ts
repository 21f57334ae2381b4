// Colors at dusk in the light and dark schemes. Set as attributes: every page would load a stylesheet.

/** The sky, from its top to the horizon. */
export const SKY = [
  "light-dark(#4a1c35, #1d0b15)",
  "light-dark(#8f3f63, #4c1d35)",
  "light-dark(#e39a86, #8f4257)",
] as const;
/** The sun and its glow. */
export const SUN = "light-dark(#fff0d2, #f6cfa8)";
/** Stone in the light. */
export const LIGHT = "light-dark(#fdf7f2, #dcc5bd)";
/** Stone in the shade. */
export const SHADE = "light-dark(#d8b9b0, #9a7b7c)";
/** The ground in front. */
export const GROUND = "light-dark(#3d162b, #160810)";
