import { Button } from "@colonnade/kit";
import { useQuery } from "@colonnade/kit/data";
import type { ReactElement } from "react";

import { placesQuery } from "../paths";
import { placesSchema } from "../schemas";
import css from "./PlacesLeft.module.css";

/** The places that are left right now. They change too often for a cached document, so each browser asks. */
export default function PlacesLeft({ event }: { readonly event: number }): ReactElement {
  const places = useQuery(placesQuery(event), { schema: placesSchema });
  if (places.status === "loading") return <p className={css.loading}>Counting what is left…</p>;
  if (places.status === "error")
    return (
      <p className={css.failed}>
        How many are left is unknown right now.{" "}
        <Button quiet onClick={places.retry}>
          Count again
        </Button>
      </p>
    );
  const { left } = places.value;
  return <p className={css.left}>{left === 0 ? "None left" : `${String(left)} left right now`}</p>;
}
