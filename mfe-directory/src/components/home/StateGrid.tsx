import { classes } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { statePath } from "../../data/links";
import { STATES } from "../../data/states";
import css from "./StateGrid.module.css";

/** All states with their city counts, linked to their pages. */
export function StateGrid(): ReactElement {
  return (
    <section className={css.section} aria-labelledby="states">
      <h2 id="states">Browse by state</h2>
      <ul className={classes("grid deferred-layout", css.states)}>
        {STATES.map(({ name, cityCount }) => (
          <li key={name}>
            <Link to={statePath(name)}>{name}</Link>
            <span>{cityCount === 1 ? "1 city" : `${String(cityCount)} cities`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
