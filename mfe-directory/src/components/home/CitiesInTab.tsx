import { citiesInTab } from "@colonnade/design/tab";
import { DialogLink, Link } from "@colonnade/kit";
import { useState, type ReactElement } from "react";

import css from "./CitiesInTab.module.css";

/** Links to the cities whose ads were opened in this tab. */
export function CitiesInTab(): ReactElement {
  const [cities] = useState(citiesInTab);
  return (
    <section className={css.section} aria-labelledby="cities-in-tab">
      <h2 id="cities-in-tab">Cities in this tab</h2>
      <ul>
        {cities.map(({ path, state, city }) => (
          <li key={path}>
            <Link to={path} rel="nofollow">{`${city}, ${state}`}</Link>
          </li>
        ))}
      </ul>
      <p>
        Only this tab keeps them, until you close it.{" "}
        <DialogLink dialog="legal/receipt" page="/privacy/receipt">
          What this site knows about you right now
        </DialogLink>
      </p>
    </section>
  );
}
