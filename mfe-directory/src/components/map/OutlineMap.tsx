import type { ReactElement, ReactNode } from "react";

import { MAP_WIDTH, type Outline } from "../../data/maps";
import css from "./OutlineMap.module.css";

interface Props {
  readonly outline: Outline;
  /** Text equivalent. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A state's outline with points on it. */
export function OutlineMap({ outline: { height, path }, label, children }: Props): ReactElement {
  return (
    <svg
      className={css.map}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${String(MAP_WIDTH)} ${String(height)}`}
      width={MAP_WIDTH}
      height={height}
    >
      <path className={css.outline} d={path} />
      {children}
    </svg>
  );
}
