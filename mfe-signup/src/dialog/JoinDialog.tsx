import { Dialog, Notice, useSite, type JoinSlotProps } from "@colonnade/kit";
import { useId, type ReactElement } from "react";

import { useSignupClosed } from "../underage/underage";
import { UNDERAGE_HEADING, UnderageNotice } from "../underage/UnderageNotice";
import { signupHeading } from "../form/signupHeading";
import { SAMPLE_NOTICE } from "../form/sampleNotice";
import { SignupForm } from "../form/SignupForm";

/**
 * The sign-up dialog. Closing it unmounts its contents, which cancels the request and discards the password.
 */
export function JoinDialog({ open, close, reason }: JoinSlotProps): ReactElement {
  const id = useId();
  const closed = useSignupClosed();
  const site = useSite();
  const sample = reason === "sample" && !closed;
  return (
    <Dialog
      open={open}
      close={close}
      heading={closed ? UNDERAGE_HEADING : signupHeading(site)}
      describedBy={sample ? id : undefined}
    >
      {sample && (
        <Notice>
          <p id={id}>{SAMPLE_NOTICE}</p>
        </Notice>
      )}
      {closed ? <UnderageNotice /> : <SignupForm close={close} />}
    </Dialog>
  );
}
