import type { ReactElement } from "react";

import { ago, dateOf } from "../format.js";
import { useNow } from "./useNow.js";

/** A time as an age. The exact time is its tooltip. */
export function Ago({ time }: { readonly time: string }): ReactElement {
  const now = useNow();
  return (
    <time dateTime={time} title={dateOf(time)}>
      {ago(time, now)}
    </time>
  );
}
