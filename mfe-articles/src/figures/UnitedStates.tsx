import type { ReactElement } from "react";

import type { FigureProps } from "./Figure";
import css from "./figure.module.css";
import map from "./unitedStates.json";

/** A map of the United States that marks the states whose law differs, above the text that says how. */
export function UnitedStates({ children }: FigureProps): ReactElement {
  const { width, height, nation, states } = map;
  const names = states.map(({ name }) => name).join(" and ");
  return (
    <>
      <svg
        className={css.map}
        role="img"
        aria-label={`Map of the United States. ${names} are marked.`}
        viewBox={`0 0 ${String(width)} ${String(height)}`}
        width={width}
        height={height}
      >
        <path className={css.nation} d={nation} />
        {states.map(({ name, path }) => (
          <path key={name} className={css.marked} d={path} />
        ))}
        {states.map(({ name, x, y }) => (
          <text
            key={name}
            className={css.name}
            x={x}
            y={y}
            textAnchor={x > width / 2 ? "end" : undefined}
            dominantBaseline="middle"
          >
            {name}
          </text>
        ))}
      </svg>
      {children}
    </>
  );
}
