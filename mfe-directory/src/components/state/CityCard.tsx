import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { cityPath } from "../../data/links";
import type { Place } from "../../data/places";
import { classes } from "../classes";
import css from "./CityCard.module.css";

interface Props {
  readonly place: Place;
  /** The card's last line. */
  readonly text: string;
}

/** A city of a state's page; the whole card is the link. */
export function CityCard({ place, text }: Props): ReactElement {
  return (
    <li className={css.item}>
      <Link to={cityPath(place)} rel="nofollow" className={classes("card", css.card)}>
        <strong>{place.city}</strong> <span className={css.state}>{place.state}</span>{" "}
        <span className={css.text}>{text}</span>
      </Link>
    </li>
  );
}
