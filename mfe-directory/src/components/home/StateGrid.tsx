import { Link } from "@colonnade/kit";
import type { ReactElement } from "react";

import { statePath } from "../../data/links";
import { STATES } from "../../data/states";
import { search, searchKey } from "../../text/foldName";
import { classes } from "../classes";
import { Filter } from "../filter/Filter";
import { useQuery } from "../filter/useQuery";
import css from "./StateGrid.module.css";

/** All states with their city counts, linked to their pages, and a filter. */
export function StateGrid(): ReactElement {
  const [query, setQuery] = useQuery();
  const shown = search(STATES, query, ({ name }) => searchKey(name));
  return (
    <section className={css.section} aria-labelledby="states">
      <h2 id="states">Browse by state</h2>
      <Filter
        label="Filter states"
        query={query}
        shown={shown.length}
        status={
          shown.length === 0
            ? `No results: no state matches “${query.trim()}”.`
            : `${String(shown.length)} of ${String(STATES.length)} states`
        }
        onQuery={setQuery}
      />
      <ul className={classes("grid deferred-layout", css.states)}>
        {shown.map(({ name, cityCount }) => (
          <li key={name}>
            <Link to={statePath(name)}>{name}</Link>
            <span>{cityCount === 1 ? "1 city" : `${String(cityCount)} cities`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
