import { useSyncExternalStore, type ReactElement } from "react";

import { formatTime } from "../dates";
import css from "./DataAge.module.css";
import { ReloadLink } from "./ReloadLink";

interface Props {
  /** The minute in which the API made the answer, in UTC. */
  readonly asOf: string;
  /** Path of this page. */
  readonly path: string;
}

// In minutes. The caches between API and browser answer with older data only if the API fails; see `CACHED` in api/endpoints.js.
const STALE_AFTER = 5;

function subscribe(onChange: () => void): () => void {
  const timer = setInterval(onChange, 20_000);
  return () => {
    clearInterval(timer);
  };
}

/**
 * When the data was made. The server must not use the clock, so only the browser knows the age of the data, and says so once
 * it is old: because the API is away, or because the page has been open for long.
 */
export function DataAge({ asOf, path }: Props): ReactElement {
  const minutes = useSyncExternalStore(
    subscribe,
    () => Math.floor((Date.now() - Date.parse(asOf)) / 60_000),
    () => 0,
  );
  return (
    <p className={css.age} role="status">
      As of <time dateTime={asOf}>{`${formatTime(asOf.slice(11, 16))} UTC`}</time>
      {minutes >= STALE_AFTER && (
        <>
          , <strong>{`${formatAge(minutes)} old`}</strong>. <ReloadLink path={path}>Load it again</ReloadLink>
        </>
      )}
    </p>
  );
}

function formatAge(minutes: number): string {
  if (minutes < 120) return `${String(minutes)} minutes`;
  return `${String(Math.floor(minutes / 60))} hours`;
}
