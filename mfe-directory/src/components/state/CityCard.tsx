import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { cityPath } from "../../data/links";
import type { Place } from "../../data/places";

interface Props {
  readonly place: Place;
  /** Last line of the card. */
  readonly text: string;
}

/** A city on a state page. The whole card is a link. The list styles its hundreds of cards. */
export function CityCard({ place, text }: Props): ReactElement {
  return (
    <li>
      <Link to={cityPath(place)} rel="nofollow" className="card">
        <strong>{place.city}</strong>
        {` ${place.state} `}
        <span>{text}</span>
      </Link>
    </li>
  );
}
