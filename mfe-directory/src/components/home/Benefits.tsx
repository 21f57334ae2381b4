import { classes, signupOf } from "@colonnade/design";
import { useSite } from "@colonnade/kit";
import { fillFacts } from "@colonnade/design/text";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import css from "./Benefits.module.css";

/** The benefits of the site. */
export function Benefits(): ReactElement {
  const site = useSite();
  return (
    <section className={css.section} aria-labelledby="benefits">
      <h2 id="benefits">What to expect</h2>
      <ul className={classes("grid", css.benefits)}>
        {home.benefits.map(({ title, text, noSignup = text }) => (
          <li key={title}>
            <h3>{fillFacts(title, site)}</h3>
            <p>{fillFacts(signupOf(site).host === null ? noSignup : text, site)}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
