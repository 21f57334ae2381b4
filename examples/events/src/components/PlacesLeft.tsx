import { Button } from "@colonnade/design";
import { useQuery } from "@colonnade/kit/data";
import { useRef, type ReactElement } from "react";

import { placesQuery } from "../paths";
import { placesSchema } from "../schemas";
import css from "./PlacesLeft.module.css";

interface Props {
  /** The event's id. */
  readonly event: number;
}

/** The places that are left right now. They change too often for a cached document, so each browser fetches them. */
export function PlacesLeft({ event }: Props): ReactElement {
  const element = useRef<HTMLDivElement>(null);
  const places = useQuery(placesQuery(event), { schema: placesSchema });
  return (
    <div ref={element} tabIndex={-1}>
      {places.status === "loading" && <p className={css.loading}>Counting what is left…</p>}
      {places.status === "error" && (
        <p className={css.failed}>
          The number left is unavailable right now.{" "}
          <Button
            quiet
            onClick={() => {
              // Loading removes the button, so its focus moves first.
              element.current?.focus();
              places.retry();
            }}
          >
            Count again
          </Button>
        </p>
      )}
      {places.status === "success" && (
        <p className={css.left}>
          {places.value.left === 0 ? "None left" : `${String(places.value.left)} left right now`}
        </p>
      )}
    </div>
  );
}
