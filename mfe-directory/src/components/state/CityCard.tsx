import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { cityPath } from "../../data/links";
import type { Place } from "../../data/places";

interface Props {
  readonly place: Place;
  /** The card's last line. */
  readonly text: string;
}

/** A city of a state's page; the whole card is the link. There are hundreds in a page, so its list has all of the style. */
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
