import type { ReactElement } from "react";

import { seededRandom, templePath } from "./seeded.js";

/** Props of {@link AvatarArt}. */
export interface AvatarArtProps {
  /** Determines the picture: equal seeds produce equal pictures on every platform. */
  readonly seed: string;
  /** Accessible name. If absent, the picture is decorative and hidden from assistive technology. */
  readonly label?: string;
  /** Class of the `svg` element. */
  readonly className?: string | undefined;
}

// Fills of the shapes in the light and dark schemes. Set as attributes: every page would load a stylesheet.
const COLORS = [
  "light-dark(#7a2b52, #d98bb0)",
  "light-dark(#2f5d7c, #86b6d6)",
  "light-dark(#3f6b4f, #94c7a6)",
  "light-dark(#8a5a1f, #dcb27a)",
  "light-dark(#5a4a8a, #b3a4e0)",
  "light-dark(#8a3f35, #e0998f)",
] as const;

/** A temple in a landscape, derived from a seed, instead of a portrait. */
export function AvatarArt({ seed, label, className }: AvatarArtProps): ReactElement {
  const next = seededRandom(seed);
  const color = COLORS[next(COLORS.length)];
  const temple = templePath(3 + next(4), 6 + next(8), 24 + next(8), 7 + next(8));
  const sun = { cx: next(64), cy: 30 + next(14), r: 8 + next(7) };
  const hills = `M0 ${String(40 + next(10))}Q${String(10 + next(12))} ${String(26 + next(14))} 32 44T64 ${String(38 + next(12))}V64H0z`;
  return (
    <svg
      className={className}
      viewBox="0 0 64 64"
      width="100%"
      fill={color}
      clipPath="inset(0 round var(--radius-2))"
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
    >
      <rect width="64" height="64" fill={`color-mix(in oklab, ${String(color)} 18%, var(--color-surface))`} />
      <circle {...sun} opacity="0.3" />
      <path d={hills} opacity="0.35" />
      <path d={temple} opacity="0.9" />
    </svg>
  );
}
