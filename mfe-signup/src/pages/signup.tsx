import { Notice, signupOf } from "@colonnade/design";
import { definePage, useSite, type PageProps } from "@colonnade/kit";
import { useState, type ReactElement } from "react";

import { UNDER_AGE, useSignupClosed } from "../underage/underage";
import { UNDERAGE_HEADING, UnderageNotice } from "../underage/UnderageNotice";
import { signupHeading, type Replacement } from "../form/signupHeading";
import { SAMPLE_NOTICE } from "../form/sampleNotice";
import { ERROR } from "../form/errorTitle";
import { SignupForm } from "../form/SignupForm";
import css from "./pages.module.css";

function SignupPage({ form }: PageProps<null>): ReactElement {
  const closed = useSignupClosed(form);
  const site = useSite();
  const [replacement, setReplacement] = useState<Replacement | null>(null);
  return (
    <div className={`page ${css.narrow ?? ""}`}>
      <h1>{closed ? UNDERAGE_HEADING : signupHeading(site, replacement)}</h1>
      {closed ? (
        <UnderageNotice rejected={form?.code === UNDER_AGE} />
      ) : (
        <SignupForm
          formResult={form}
          onReplace={setReplacement}
          notice={
            // Shown to all visitors: without JavaScript the buttons of sample ads link here too.
            <Notice>
              <p>Coming from an ad? {SAMPLE_NOTICE}</p>
            </Notice>
          }
        />
      )}
    </div>
  );
}

export const page = definePage({
  data: () => null,
  paths: () => ["/signup"],
  head: ({ site, form }) => ({
    title: `${form && form.code !== UNDER_AGE ? ERROR : ""}Sign up - ${site.brand}`,
    description:
      signupOf(site).host === null
        ? `${signupHeading(site)} on ${site.brand} right now.`
        : `Create an account through ${site.brand}. See who receives your details and who may earn a commission. For adults 18 and over.`,
    canonical: "/signup",
    robots: "noindex",
  }),
  Component: SignupPage,
});
