import type { ReactElement } from "react";

/** Stands in for a page that is on its way. */
export function Loading(): ReactElement {
  return (
    <div className="page message" aria-busy="true">
      <p className="loading">Loading…</p>
    </div>
  );
}
