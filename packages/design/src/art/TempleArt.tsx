import { useId, type ReactElement } from "react";

import { GROUND, LIGHT, SHADE, SKY, SUN } from "./dusk.js";

/** Props of {@link TempleArt}. */
export interface TempleArtProps {
  /** Class of the `svg` element. The picture is 400 by 300 units; a wider element shows its middle. */
  readonly className?: string | undefined;
}

// Left edges of the columns: six, so that the middle of the front is open.
const COLUMNS = [46, 102, 158, 214, 270, 326] as const;

// Columns with base and capital, 28 units wide, on the floor at 232. One path: it paints faster than one per column.
const COLUMNS_PATH = COLUMNS.map((left) => `M${String(left)} 112h28v7h-3l-2 99h3v7h3v7h-30v-7h3v-7h3l-2-99h-3z`).join(
  "",
);

/** A decorative temple at dusk, with its reflection. */
export function TempleArt({ className }: TempleArtProps): ReactElement {
  const id = useId();
  const [sky, sun, stone, columns] = [`${id}sky`, `${id}sun`, `${id}stone`, `${id}columns`];
  const stoneFill = `url(#${stone})`;
  return (
    <svg className={className} viewBox="0 0 400 300" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      <defs>
        <linearGradient id={sky} x1="0" y1="0" x2="0" y2="1">
          <stop stopColor={SKY[0]} />
          <stop stopColor={SKY[1]} offset=".6" />
          <stop stopColor={SKY[2]} offset="1" />
        </linearGradient>
        <radialGradient id={sun}>
          <stop stopColor={SUN} />
          <stop stopColor={SUN} stopOpacity="0" offset="1" />
        </radialGradient>
        <linearGradient id={stone} x1="0" y1="0" x2="1" y2="0">
          <stop stopColor={SHADE} />
          <stop stopColor={LIGHT} offset=".4" />
          <stop stopColor={SHADE} offset="1" />
        </linearGradient>
        {/* The same on each column: they are two widths apart. */}
        <linearGradient
          id={columns}
          href={`#${stone}`}
          gradientUnits="userSpaceOnUse"
          spreadMethod="repeat"
          x1="46"
          x2="74"
        />
      </defs>
      <rect width="400" height="300" fill={`url(#${sky})`} />
      <circle cx="200" cy="178" r="128" fill={`url(#${sun})`} />
      <path
        fill="light-dark(#5c2544, #2a101f)"
        opacity=".55"
        d="M0 232c40-34 78-26 118-14s60-22 104-14 70 10 104-6 52-12 74 2v32z"
      />
      <path fill={stoneFill} d="M200 38 356 94H44zM40 94h320v18H40z" />
      <path fill={SKY[1]} opacity=".3" d="M200 52 310 90H90z" />
      <path fill={`url(#${columns})`} d={COLUMNS_PATH} />
      <path fill={stoneFill} d="M34 232h332v9H34zM22 241h356v11H22z" />
      <path fill={GROUND} d="M0 252h400v48H0z" />
      <path
        fill="none"
        stroke="light-dark(#f3b79a, #b4607f)"
        strokeLinecap="round"
        strokeWidth="2"
        opacity=".5"
        d="M60 264h120M228 264h84M96 276h56M184 276h148M140 288h96"
      />
    </svg>
  );
}
