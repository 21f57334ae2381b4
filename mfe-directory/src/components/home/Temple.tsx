import type { ReactElement } from "react";

import css from "./Temple.module.css";

// Centers of the columns. The outer ones are further away, so they are closer together.
const COLUMNS = [58, 104, 152, 200, 248, 296, 342] as const;

// A column with base and capital, 24 units wide, on the floor at 232.
function column(center: number): string {
  return `M${String(center - 12)} 112h24v7h-3l-2 99h3v7h3v7h-26v-7h3v-7h3l-2-99h-3z`;
}

/** A decorative temple at dusk, with its reflection. */
export function Temple({ className }: { readonly className: string | undefined }): ReactElement {
  return (
    <svg className={className} viewBox="0 0 400 300" width="400" height="300" aria-hidden="true">
      <defs>
        <linearGradient id="temple-sky" x1="0" y1="0" x2="0" y2="1">
          <stop className={css.high} />
          <stop className={css.middle} offset=".6" />
          <stop className={css.low} offset="1" />
        </linearGradient>
        <radialGradient id="temple-sun">
          <stop className={css.sun} />
          <stop className={css.glow} offset="1" />
        </radialGradient>
        <linearGradient id="temple-stone" x1="0" y1="0" x2="1" y2="0">
          <stop className={css.shade} />
          <stop className={css.light} offset=".4" />
          <stop className={css.shade} offset="1" />
        </linearGradient>
      </defs>
      <rect width="400" height="300" rx="20" fill="url(#temple-sky)" />
      <circle cx="200" cy="178" r="128" fill="url(#temple-sun)" />
      <path className={css.hills} d="M0 232c40-34 78-26 118-14s60-22 104-14 70 10 104-6 52-12 74 2v32z" />
      <path fill="url(#temple-stone)" d="M200 38 356 94H44zM40 94h320v18H40z" />
      <path className={css.pediment} d="M200 52 310 90H90z" />
      {COLUMNS.map((center) => (
        <path key={center} fill="url(#temple-stone)" d={column(center)} />
      ))}
      <path fill="url(#temple-stone)" d="M34 232h332v9H34zM22 241h356v11H22z" />
      <path className={css.water} d="M0 252h400v28a20 20 0 0 1-20 20H20a20 20 0 0 1-20-20z" />
      <path className={css.ripples} d="M60 264h120M228 264h84M96 276h56M184 276h148M140 288h96" />
    </svg>
  );
}
