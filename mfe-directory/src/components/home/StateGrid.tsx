import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { statePath } from "../../data/links";
import { STATES } from "../../data/states";
import { classes } from "../classes";
import css from "./StateGrid.module.css";

/** All states, each leading to its page. */
export function StateGrid(): ReactElement {
  return (
    <section className={css.section} aria-labelledby="states">
      <h2 id="states">Browse by state</h2>
      <ul className={classes("grid", css.states)}>
        {STATES.map(({ name }) => (
          <li key={name}>
            <Link to={statePath(name)}>{name}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
