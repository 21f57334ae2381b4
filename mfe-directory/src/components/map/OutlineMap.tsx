import type { ReactElement, ReactNode } from "react";

import type { Outline } from "../../data/maps";
import { MAP_PADDING, MAP_WIDTH } from "../../map/sizes";
import css from "./OutlineMap.module.css";

interface Props {
  readonly outline: Outline;
  /** Text equivalent. */
  readonly label: string;
  /** Omits the space for names beside the outline. */
  readonly cropped?: boolean;
  readonly children: ReactNode;
}

/** A state's outline with points on it. */
export function OutlineMap({ outline, label, cropped = false, children }: Props): ReactElement {
  const { height, west, east, path } = outline;
  const [left, width] = cropped ? [west - MAP_PADDING, east - west + 2 * MAP_PADDING] : [0, MAP_WIDTH];
  return (
    <svg
      className={css.map}
      role="img"
      aria-label={label}
      viewBox={`${String(left)} 0 ${String(width)} ${String(height)}`}
      width={width}
      height={height}
    >
      <path className={css.outline} d={path} />
      {children}
    </svg>
  );
}
