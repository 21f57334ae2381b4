import { useId, type ReactElement } from "react";

import { GROUND, LIGHT, SKY, SUN } from "./dusk.js";
import { seededRandom, templePath } from "./seeded.js";

/** Props of {@link DuskBand}. */
export interface DuskBandProps {
  /** Determines temple, sun and hills: equal seeds produce equal bands. */
  readonly seed: string;
  /** Class of the `svg` element, which sets its size. */
  readonly className?: string | undefined;
}

/**
 * A decorative strip above a page's heading: a temple in a landscape at dusk. 400 by 32 units; a taller element shows its
 * middle, where the temple is.
 */
export function DuskBand({ seed, className }: DuskBandProps): ReactElement {
  const sky = useId();
  const next = seededRandom(seed);
  const temple = templePath(6, 5, 26, 12 + next(6));
  const left = 150 + next(70);
  const hills = `M0 ${String(20 + next(6))}q60-${String(8 + next(8))} 130 2t120-${String(next(6))} 150 0v9H0z`;
  return (
    <svg className={className} viewBox="0 0 400 32" preserveAspectRatio="xMidYMax slice" aria-hidden="true">
      <linearGradient id={sky} x2="0" y2="1">
        <stop stopColor={SKY[1]} />
        <stop stopColor={SKY[2]} offset="1" />
      </linearGradient>
      <path fill={`url(#${sky})`} d="M0 0h400v32H0z" />
      <circle cx={left + next(2) * 44 - 8} cy={18} r={5 + next(4)} fill={SUN} opacity=".8" />
      <path fill={SKY[0]} opacity=".5" d={hills} />
      <path fill={LIGHT} d={temple} transform={`translate(${String(left)} 3)scale(.45)`} />
      <path fill={GROUND} d="M0 29h400v3H0z" />
    </svg>
  );
}
