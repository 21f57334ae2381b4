import { Dialog, Notice } from "@colonnade/design";
import { useSite, type DialogProps } from "@colonnade/kit";
import { useId, useState, type ReactElement } from "react";

import { useSignupClosed } from "../underage/underage";
import { UNDERAGE_HEADING, UnderageNotice } from "../underage/UnderageNotice";
import { signupHeading, type Replacement } from "../form/signupHeading";
import { SAMPLE_NOTICE } from "../form/sampleNotice";
import { SignupForm } from "../form/SignupForm";
import css from "../form/form.module.css";

/**
 * The sign-up dialog. Closing it unmounts its contents, which cancels the request and discards the password.
 */
export default function JoinDialog({ open, close, params: { reason } }: DialogProps): ReactElement {
  const id = useId();
  const closed = useSignupClosed();
  const site = useSite();
  const [replacement, setReplacement] = useState<Replacement | null>(null);
  const sample = reason === "sample" && !closed && !replacement;
  return (
    <Dialog
      open={open}
      close={close}
      heading={closed ? UNDERAGE_HEADING : signupHeading(site, replacement)}
      describedBy={sample ? id : undefined}
    >
      {closed ? (
        <UnderageNotice close={close} />
      ) : (
        <SignupForm
          close={close}
          onReplace={setReplacement}
          notice={
            reason === "sample" && (
              <Notice className={css.sample}>
                <p id={id}>{SAMPLE_NOTICE}</p>
              </Notice>
            )
          }
        />
      )}
    </Dialog>
  );
}
