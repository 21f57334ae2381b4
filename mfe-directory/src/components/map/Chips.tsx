import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { cityPath } from "../../data/links";
import type { Place } from "../../data/links";
import css from "./Chips.module.css";

interface Props {
  /** Id of the heading. */
  readonly labelledBy: string;
  /** Cities, each with a name and a detail. */
  readonly chips: readonly { readonly place: Place; readonly name: string; readonly detail: string }[];
}

/** A row of links to cities. */
export function Chips({ labelledBy, chips }: Props): ReactElement {
  return (
    <ul className={css.chips} aria-labelledby={labelledBy}>
      {chips.map(({ place, name, detail }) => (
        <li key={name}>
          <Link to={cityPath(place)} rel="nofollow">
            {`${name} `}
            <span>{detail}</span>
          </Link>
        </li>
      ))}
    </ul>
  );
}
