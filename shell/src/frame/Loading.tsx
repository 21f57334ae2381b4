import type { ReactElement } from "react";

/** Shown while a page loads. */
export function Loading(): ReactElement {
  return (
    <div className="page message" aria-busy="true">
      <p className="loading">Loading…</p>
    </div>
  );
}
