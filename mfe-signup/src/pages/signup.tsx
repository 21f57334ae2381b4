import { definePage, Notice, useSite, type PageProps } from "@colonnade/kit";
import type { ReactElement } from "react";

import { useSignupEnded } from "../ending/ended";
import { ENDED_HEADING, SignupEnded } from "../ending/SignupEnded";
import { signupHeading } from "../form/heading";
import { SAMPLE_NOTICE } from "../form/sampleNotice";
import { SignupForm } from "../form/SignupForm";
import css from "./pages.module.css";

function SignupPage({ form }: PageProps<null>): ReactElement {
  const ended = useSignupEnded(form);
  const site = useSite();
  return (
    <div className={`page ${css.narrow ?? ""}`}>
      <h1>{ended ? ENDED_HEADING : signupHeading(site)}</h1>
      {/* Without script the buttons of samples lead here like all others, so everybody is told. */}
      {!ended && (
        <Notice>
          <p>Coming from an ad? {SAMPLE_NOTICE}</p>
        </Notice>
      )}
      {ended ? <SignupEnded /> : <SignupForm answer={form} />}
    </div>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => ["/signup"],
  head: ({ site }) => ({
    title: `Sign up - ${site.brand}`,
    description:
      site.signup.host === null
        ? `${signupHeading(site)} on ${site.brand} at the moment.`
        : `Create an account through ${site.brand}: who receives your details, and who earns by it. For adults of 18 and over.`,
    canonical: "/signup",
    robots: "noindex",
  }),
  Component: SignupPage,
});
