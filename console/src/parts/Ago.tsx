import type { ReactElement } from "react";

import { ago, dateOf } from "../format.js";
import { useNow } from "./useNow.js";

interface AgoProps {
  readonly time: string;
  /** Whether the exact time is not only the tooltip. */
  readonly exact?: boolean;
}

/** A time as an age, with the exact time in UTC and where the reader is. */
export function Ago({ time, exact = false }: AgoProps): ReactElement {
  const now = useNow();
  return (
    <time dateTime={time} title={dateOf(time)}>
      {ago(time, now)}
      {exact && `, ${dateOf(time)}`}
    </time>
  );
}
