import { Button, ExitPage, signupOf } from "@colonnade/design";
import { DialogLink, useSite } from "@colonnade/kit";
import { TextLink } from "@colonnade/design/text";
import { useEffect, useRef, type ReactElement } from "react";

import { Actions } from "../actions/Actions";
import { nothingHasFocus } from "../focus";
import { hasSubmitted, wasClosedHere } from "./underage";
import css from "./underage.module.css";

/** Heading that replaces the form's heading. */
export const UNDERAGE_HEADING = "Sign-up ends here";

interface UnderageNoticeProps {
  /** Whether this page is the response to a form post that the gateway rejected. */
  readonly rejected?: boolean;
  /** Closes the dialog that contains the notice. Undefined on the page. */
  readonly close?: () => void;
}

/**
 * Replaces the form after an age under 18 was stated. An earlier attempt may have reached the backend, so the notice
 * then speaks only of the age. After a reload, it says nothing about the form that stated the age.
 */
export function UnderageNotice({ rejected = false, close }: UnderageNoticeProps): ReactElement {
  const { host } = signupOf(useSite());
  const earlierAttempt = host !== null && hasSubmitted();
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // The focused submit button was removed.
    if (nothingHasFocus()) text.current?.focus();
  }, []);
  return (
    <div className={css.notice}>
      <p ref={text} tabIndex={-1}>
        Thank you for telling us your age. This site is only for people 18 and over, so sign-up ends here.
        {(rejected || wasClosedHere()) && (
          <span>{` We didn’t save or send ${earlierAttempt ? "this age" : "anything you entered"}.`}</span>
        )}
        {earlierAttempt && (
          <span>{` Your earlier try may have reached ${host}, so it may have your details. We don’t.`}</span>
        )}{" "}
        <span className={css.scripted}>
          This tab remembers that sign-up is closed, not your age.{" "}
          <DialogLink dialog="legal/receipt" page="/privacy/receipt">
            What this tab remembers
          </DialogLink>
        </span>
      </p>
      <p>
        If something you saw online worries you, or someone is pressuring you, you’re not alone and not in trouble. The
        National Center for Missing &amp; Exploited Children can help. Call{" "}
        <a href="tel:+18008435678">1-800-843-5678</a> or go to{" "}
        <TextLink href="https://report.cybertip.org/">report.cybertip.org</TextLink>. In immediate danger, call{" "}
        <a href="tel:911">911</a>.
      </p>
      <ExitPage className={css.exit} />
      {close && (
        <Actions docked>
          <Button onClick={close}>Close</Button>
        </Actions>
      )}
    </div>
  );
}
