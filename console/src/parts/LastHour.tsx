import type { ReactElement } from "react";

import { replaceQuery, useQueryParameter } from "../router.js";
import { isRecent } from "./changed.js";
import { useNow } from "./useNow.js";

interface Recent {
  /** Whether the page shows only what changed in the last hour. */
  readonly only: boolean;
  /** Whether the page shows what changed at this time. */
  readonly fits: (time: string | undefined) => boolean;
}

/** The filter of {@link LastHour}. */
export function useLastHour(): Recent {
  const only = useQueryParameter("changed") === "hour";
  const now = useNow();
  return { only, fits: (time) => !only || isRecent(time, now) };
}

/** Limits a page to what changed in the last hour. The address has the filter, so that it can be linked to. */
export function LastHour({ label }: { readonly label: string }): ReactElement {
  return (
    <label className="filter">
      <input
        type="checkbox"
        checked={useLastHour().only}
        onChange={({ target }) => {
          replaceQuery({ changed: target.checked ? "hour" : "" });
        }}
      />
      {label}
    </label>
  );
}
