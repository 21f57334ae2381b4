import { JoinButton, signupOf } from "@colonnade/design";
import { useSite } from "@colonnade/kit";
import { fillFacts } from "@colonnade/design/text";
import type { ReactElement } from "react";

import home from "../../../content/home.json";
import css from "./CallToAction.module.css";

/** Invites visitors to sign up, or says that no sign-up service is configured. */
export function CallToAction(): ReactElement {
  const site = useSite();
  const isOpen = signupOf(site).host !== null;
  const { heading, text } = isOpen ? home.cta : home.noSignup;
  return (
    <section className={css.invitation} aria-labelledby="join">
      <h2 id="join">{fillFacts(heading, site)}</h2>
      <p>{fillFacts(text, site)}</p>
      {isOpen && <JoinButton className="button">Join Free</JoinButton>}
    </section>
  );
}
