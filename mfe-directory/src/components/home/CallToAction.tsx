import { JoinButton, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import { fill } from "../../text/fill";
import css from "./CallToAction.module.css";

/** The invitation at the end of the home page. */
export function CallToAction(): ReactElement {
  const { brand } = useSite();
  return (
    <section className={css.invitation} aria-labelledby="join">
      <h2 id="join">{fill(home.cta.heading, { brand })}</h2>
      <p>{fill(home.cta.text, { brand })}</p>
      <JoinButton className="button">Join Free</JoinButton>
    </section>
  );
}
