import type { ReactElement } from "react";

/** Props of {@link AvatarArt}. */
export interface AvatarArtProps {
  /** What it stands for: the same text has the same picture, everywhere and always. */
  readonly seed: string;
  /** What it shows, where it says something that the text beside it does not; without, it is decoration. */
  readonly label?: string;
  /** Class of the picture. */
  readonly className?: string;
}

// What the shapes are filled with, in light and in dark. As attributes: a stylesheet would be paid for by every page.
const COLOURS = [
  "light-dark(#7a2b52, #d98bb0)",
  "light-dark(#2f5d7c, #86b6d6)",
  "light-dark(#3f6b4f, #94c7a6)",
  "light-dark(#8a5a1f, #dcb27a)",
  "light-dark(#5a4a8a, #b3a4e0)",
  "light-dark(#8a3f35, #e0998f)",
] as const;

// FNV-1a, and between two numbers a step of xorshift: spread enough for pictures, and the same in every engine.
function numbersFrom(seed: string): (below: number) => number {
  let state = 0x811c9dc5;
  for (const sign of seed) state = Math.imul(state ^ (sign.codePointAt(0) ?? 0), 0x01000193);
  state ||= 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % below;
  };
}

// An arch standing on the ground line, as of a colonnade; x, width and height in the units of the picture.
function archOf(x: number, width: number, height: number): string {
  const radius = width / 2;
  return `M${String(x)} 64v-${String(height)}a${String(radius)} ${String(radius)} 0 0 1 ${String(width)} 0v${String(height)}z`;
}

/** A picture of nobody: abstract arches drawn from a seed, where others would put a face. */
export function AvatarArt({ seed, label, className }: AvatarArtProps): ReactElement {
  const next = numbersFrom(seed);
  const colour = COLOURS[next(COLOURS.length)];
  const arches = [0, 1, 2].map((place) => archOf(place * 16 + next(9), 14 + next(14), 12 + next(28)));
  // Too wide for a head on shoulders.
  const sun = { cx: 12 + next(40), cy: 18 + next(10), r: 12 + next(6) };
  return (
    <svg
      className={className}
      viewBox="0 0 64 64"
      width="100%"
      fill={colour}
      clipPath="inset(0 round var(--radius-2))"
      {...(label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": label })}
    >
      <rect width="64" height="64" fill={`color-mix(in oklab, ${String(colour)} 18%, var(--color-surface))`} />
      <circle {...sun} opacity="0.3" />
      {arches.map((arch, place) => (
        <path key={place} d={arch} opacity={String(0.45 + place * 0.2)} />
      ))}
    </svg>
  );
}
