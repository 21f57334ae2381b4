import { signupOf } from "@colonnade/design";
import { definePage, DialogLink, Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import { Recipient } from "../form/Recipient";
import { useJustSignedUp } from "../outcome/success";
import css from "./pages.module.css";

function SuccessPage(): ReactElement {
  const site = useSite();
  const { brand } = site;
  const { host, name, signInUrl } = signupOf(site);
  const justSignedUp = useJustSignedUp();
  return (
    <div className={`page ${css.narrow ?? ""}`}>
      <h1>{justSignedUp ? "You’re signed up" : "Your account"}</h1>
      {justSignedUp ? (
        <p>
          Your account was created at <Recipient />. Sign in there.
        </p>
      ) : (
        <p>
          If you just signed up here, your account is at <Recipient />.
        </p>
      )}
      <p>
        This site passes on your email, password, and stated age, and doesn’t keep them. See{" "}
        <DialogLink dialog="legal/receipt" page="/privacy/receipt">
          what left this tab, when, and to whom
        </DialogLink>
        .
      </p>
      {signInUrl !== null && (
        <p>
          <a className="button" href={signInUrl} rel="noreferrer">
            Sign in at {name ?? host}
          </a>
        </p>
      )}
      <p>
        <Link className={signInUrl === null ? "button" : "button quiet"} to="/">
          Back to {brand}
        </Link>
      </p>
    </div>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => ["/success"],
  head: ({ site }) => ({
    title: `Your account - ${site.brand}`,
    description: `Where a sign-up through ${site.brand} ends.`,
    canonical: "/success",
    robots: "noindex",
  }),
  Component: SuccessPage,
});
