import { Dialog, Notice, useSite, type JoinSlotProps } from "@colonnade/kit";
import { useId, type ReactElement } from "react";

import { useSignupEnded } from "../ending/ended";
import { ENDED_HEADING, SignupEnded } from "../ending/SignupEnded";
import { signupHeading } from "../form/heading";
import { SAMPLE_NOTICE } from "../form/sampleNotice";
import { SignupForm } from "../form/SignupForm";

/**
 * The sign-up dialog. Its contents live as long as it is open: closing it cancels what is on its way,
 * and leaves no password behind.
 */
export function JoinDialog({ open, close, reason }: JoinSlotProps): ReactElement {
  const id = useId();
  const ended = useSignupEnded();
  const site = useSite();
  const sample = reason === "sample" && !ended;
  return (
    <Dialog
      open={open}
      close={close}
      heading={ended ? ENDED_HEADING : signupHeading(site)}
      describedBy={sample ? id : undefined}
    >
      {sample && (
        <Notice>
          <p id={id}>{SAMPLE_NOTICE}</p>
        </Notice>
      )}
      {ended ? <SignupEnded /> : <SignupForm onDone={close} />}
    </Dialog>
  );
}
