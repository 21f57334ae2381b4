import { useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import { fill } from "../../text/fill";
import { classes } from "../classes";
import css from "./Benefits.module.css";

/** What a visitor gets here. */
export function Benefits(): ReactElement {
  const { brand } = useSite();
  return (
    <section className={css.section} aria-labelledby="benefits">
      <h2 id="benefits">What to expect</h2>
      <ul className={classes("grid", css.benefits)}>
        {home.benefits.map(({ title, text }) => (
          <li key={title}>
            <h3>{fill(title, { brand })}</h3>
            <p>{fill(text, { brand })}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
