import { Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import css from "./form.module.css";

/** Props of {@link Disclosure}. */
export interface DisclosureProps {
  /** Host that receives the sign-up. */
  readonly host: string;
}

/** Discloses before submission who receives the details, the affiliate tag, and the fallback to the partner. */
export function Disclosure({ host }: DisclosureProps): ReactElement {
  const { brand, partner } = useSite();
  return (
    <div className={css.disclosure}>
      <p>
        When you choose Continue, your e-mail, password and stated age go to <strong>{host}</strong>, which creates the
        account. This site passes them on and keeps none of them. The sign-up carries an affiliate tag: {brand} may earn
        a commission from it.
      </p>
      {partner && (
        <p>
          If sign-up is out of reach, you are taken to <strong>{partner.name}</strong> ({partner.host}) through an
          affiliate link, after a countdown you can stop. Nothing you typed goes there.{" "}
          <noscript>Without JavaScript you are only shown that link.</noscript>
        </p>
      )}
      {/* New tabs, so that the form keeps its values. */}
      <p>
        Please read{" "}
        <Link to="/terms" target="_blank">
          Terms
        </Link>{" "}
        and{" "}
        <Link to="/privacy" target="_blank">
          Privacy
        </Link>{" "}
        first (each opens in a new tab).
      </p>
    </div>
  );
}
