import type { ReactElement } from "react";

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

// FNV-1a hash of the seed, then xorshift32: sufficient for pictures and deterministic in every engine.
function seededRandom(seed: string): (below: number) => number {
  let state = 0x811c9dc5;
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  state ||= 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

// Path of an arch on the bottom edge. x, width and height are in viewBox units.
function archPath(x: number, width: number, height: number): string {
  const radius = width / 2;
  return `M${String(x)} 64v-${String(height)}a${String(radius)} ${String(radius)} 0 0 1 ${String(width)} 0v${String(height)}z`;
}

/** Abstract arches derived from a seed, instead of a portrait. */
export function AvatarArt({ seed, label, className }: AvatarArtProps): ReactElement {
  const next = seededRandom(seed);
  const color = COLORS[next(COLORS.length)];
  const arches = [0, 1, 2].map((index) => archPath(index * 16 + next(9), 14 + next(14), 12 + next(28)));
  // Wide enough not to resemble a head on shoulders.
  const sun = { cx: 12 + next(40), cy: 18 + next(10), r: 12 + next(6) };
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
      {arches.map((arch, index) => (
        <path key={index} d={arch} opacity={String(0.45 + index * 0.2)} />
      ))}
    </svg>
  );
}
