import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import type { Ad } from "../../data/ad";
import { ADS } from "../../data/ads";
import { adPath } from "../../data/links";
import type { Place } from "../../data/links";
import css from "./AdNeighbors.module.css";

interface Props {
  readonly ad: Ad;
  readonly place: Place;
}

/** Links to the regular ads before and after this one. */
export function AdNeighbors({ ad, place }: Props): ReactElement {
  const index = ADS.regular.findIndex(({ id }) => id === ad.id);
  const [previous, next] = [ADS.regular[index - 1], ADS.regular[index + 1]];
  return (
    <nav className={css.neighbors} aria-label="Other ads">
      {previous && (
        <Link to={adPath(place, previous.id)}>
          <span>{previous.sample ? "← Previous sample" : "← Previous ad"}</span> {previous.title}
        </Link>
      )}
      {next && (
        <Link to={adPath(place, next.id)} className={css.next}>
          <span>{next.sample ? "Next sample →" : "Next ad →"}</span> {next.title}
        </Link>
      )}
    </nav>
  );
}
