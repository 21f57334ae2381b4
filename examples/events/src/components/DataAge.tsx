import { Link } from "@colonnade/kit";
import { useSyncExternalStore, type ReactElement } from "react";

import { formatTime } from "../dates";
import css from "./DataAge.module.css";

interface Props {
  /** The minute in which the API created the response, in UTC. */
  readonly asOf: string;
  /** Path of this page. */
  readonly path: string;
}

// In minutes. The caches between API and browser use older responses only if the API fails; see `CACHED` in api/endpoints.js.
const STALE_AFTER = 5;

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, 20_000);
  return () => {
    clearInterval(timer);
  };
}

/**
 * The time of the data. Pages must not depend on the clock, so the browser computes the age after hydration. Old data is marked:
 * the API is unavailable, or the page has been open for a long time.
 */
export function DataAge({ asOf, path }: Props): ReactElement {
  const minutes = useSyncExternalStore(
    subscribe,
    () => Math.floor((Date.now() - Date.parse(asOf)) / 60_000),
    () => 0,
  );
  const isStale = minutes >= STALE_AFTER;
  return (
    <p className={css.age}>
      As of <time dateTime={asOf}>{`${formatTime(asOf.slice(11, 16))} UTC`}</time>
      {isStale && (
        <>
          , <strong>{`${formatAge(minutes)} old`}</strong>.
        </>
      )}{" "}
      {/* Without the age, so that screen readers announce it once and not each minute. */}
      <span role="status">{isStale && "This may be out of date."}</span> {isStale && <Link to={path}>Load again</Link>}
    </p>
  );
}

function formatAge(minutes: number): string {
  if (minutes < 120) return `${String(minutes)} minutes`;
  return `${String(Math.floor(minutes / 60))} hours`;
}
