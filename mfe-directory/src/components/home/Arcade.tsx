import type { ReactElement } from "react";

import css from "./Arcade.module.css";

const WIDTH = 60;
const ARCHES = [0, 1, 2, 3, 4];

// The path of an arch: a semicircle on two straight sides.
function arch(index: number): string {
  const left = String(index * WIDTH + 10);
  const right = String(index * WIDTH + WIDTH - 2);
  return `M${left} 200V74a24 24 0 0 1 48 0V200H${right}z`;
}

/** A decorative row of arches. */
export function Arcade({ className }: { readonly className: string | undefined }): ReactElement {
  return (
    <svg className={className} viewBox="0 0 308 224" width="308" height="224" aria-hidden="true">
      <rect className={css.stone} x="0" y="20" width="308" height="192" rx="4" />
      {ARCHES.map((index) => (
        <path key={index} className={css.opening} d={arch(index)} />
      ))}
      <circle className={css.sun} cx="214" cy="92" r="13" />
      <rect className={css.ledge} x="0" y="8" width="308" height="12" rx="2" />
      <rect className={css.ledge} x="0" y="204" width="308" height="12" rx="2" />
    </svg>
  );
}
