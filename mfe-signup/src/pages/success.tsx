import { definePage, Link, useSite } from "@colonnade/kit";
import type { ReactElement } from "react";

import css from "./pages.module.css";

function SuccessPage(): ReactElement {
  const { brand, signup } = useSite();
  return (
    <div className={`page ${css.narrow ?? ""}`}>
      <h1>Thank you for signing up</h1>
      <p>
        If the sign-up form brought you here, your account was created at{" "}
        {signup.host === null ? "the sign-up service" : <strong>{signup.host}</strong>}. That is where your account
        lives.
      </p>
      <p>This site passes your e-mail, password and stated age on, and stores none of them.</p>
      <p>
        <Link className="button" to="/">
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
    title: `You are signed up - ${site.brand}`,
    description: `Where a sign-up through ${site.brand} ends.`,
    canonical: "/success",
    robots: "noindex",
  }),
  Component: SuccessPage,
});
