import { JoinButton, useSite } from "@colonnade/kit";
import { fillFacts } from "@colonnade/kit/text";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import css from "./CallToAction.module.css";

/** The invitation at the end of the home page. */
export function CallToAction(): ReactElement {
  const site = useSite();
  return (
    <section className={css.invitation} aria-labelledby="join">
      <h2 id="join">{fillFacts(home.cta.heading, site)}</h2>
      <p>{fillFacts(home.cta.text, site)}</p>
      <JoinButton className="button">Join Free</JoinButton>
    </section>
  );
}
