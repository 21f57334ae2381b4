import type { ReactElement } from "react";

import type { City } from "./cities";
import css from "./chart.module.css";

const WIDTH = 330;
const HEIGHT = 150;
const [COLDEST, WARMEST] = [-10, 30];

/** A line chart of the temperatures of two cities through the year. */
export function TemperatureChart({ cities }: { readonly cities: readonly [City, City] }): ReactElement {
  const [one, other] = cities;
  return (
    <svg
      className={css.chart}
      viewBox={`0 0 ${String(WIDTH)} ${String(HEIGHT)}`}
      role="img"
      aria-label={`Temperatures of ${one.name} and ${other.name}, January to December`}
    >
      <line className={css.axis} x1={0} x2={WIDTH} y1={heightOf(0)} y2={heightOf(0)} />
      <polyline className={css.one} points={pointsOf(one)} />
      <polyline className={css.other} points={pointsOf(other)} />
    </svg>
  );
}

function heightOf(temperature: number): number {
  return HEIGHT - ((temperature - COLDEST) / (WARMEST - COLDEST)) * HEIGHT;
}

function pointsOf({ temperatures }: City): string {
  const step = WIDTH / (temperatures.length - 1);
  return temperatures.map((temperature, month) => `${String(month * step)},${String(heightOf(temperature))}`).join(" ");
}
