import { Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import css from "./disclosure.module.css";
import { Recipient } from "./Recipient";

/** Discloses before submission who receives the details, the affiliate tag, and the fallback to the partner. */
export function Disclosure(): ReactElement {
  const { brand, integrations } = useSite();
  const { partner } = integrations;
  return (
    <dl className={css.summary}>
      <div>
        <dt>Goes to</dt>
        <dd>
          <Recipient />, which creates your account. We send nothing until you choose Continue.
        </dd>
      </div>
      <div>
        <dt>Kept here</dt>
        <dd>Nothing you type. We pass on your email, password, and stated age, and we don’t keep them.</dd>
      </div>
      <div>
        <dt>Commission</dt>
        <dd>Your sign-up carries an affiliate tag, so {brand} may earn a commission.</dd>
      </div>
      {partner && (
        <div>
          <dt>If unavailable</dt>
          <dd>
            <span className={css.scripted}>
              We’ll take you to <strong>{partner.name}</strong> ({partner.host}) through an affiliate link, after a
              countdown you can stop.{" "}
            </span>
            <noscript>
              We’ll show you an affiliate link to <strong>{partner.name}</strong> ({partner.host}).{" "}
            </noscript>
            Nothing you typed goes there.
          </dd>
        </div>
      )}
    </dl>
  );
}

/** A short disclosure, for a dialog that is too low to show the list beside the button. */
export function DisclosureSummary(): ReactElement {
  const { partner } = useSite().integrations;
  return (
    <>
      Goes to <Recipient /> with an affiliate tag.
      {partner && (
        <>
          {" "}
          If sign-up is down, an affiliate link takes you to <strong>{partner.name}</strong> after a countdown you can
          stop.
        </>
      )}{" "}
      Details below.
    </>
  );
}

/** Links the legal pages. They open in new tabs, so that the form keeps its values. */
export function LegalLinks(): ReactElement {
  return (
    <p className={css.legal}>
      Read our{" "}
      <Link to="/terms" target="_blank">
        Terms
      </Link>{" "}
      and{" "}
      <Link to="/privacy" target="_blank">
        Privacy
      </Link>{" "}
      first (new tabs).
    </p>
  );
}
