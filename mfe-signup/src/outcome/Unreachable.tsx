import type { Partner } from "@colonnade/kit";
import { useEffect, useId, useRef, useState, type ReactElement } from "react";

import { useCountdown } from "./countdown";
import css from "./outcome.module.css";
import { PartnerLink } from "./PartnerLink";

/** Seconds until the redirect to the partner. */
export const COUNTDOWN_SECONDS = 10;
const REMINDER_SECONDS = 5;

/** Props of {@link Unreachable}. */
export interface UnreachableProps {
  readonly partner: Partner;
  /** Returns to the form. */
  readonly back: () => void;
}

/**
 * Says that sign-up is unreachable and redirects to the partner after a countdown. 'Stop' has the focus, so that an
 * accidental key press keeps the visitor on the page.
 */
export function Unreachable({ partner, back }: UnreachableProps): ReactElement {
  const id = useId();
  const [phase, setPhase] = useState<"counting" | "stopped" | "left">("counting");
  const stayButton = useRef<HTMLButtonElement>(null);
  const counting = phase === "counting";
  // A visitor who navigates back must not find the countdown running.
  const leave = (): void => {
    setPhase("left");
  };
  const remaining = useCountdown(counting, COUNTDOWN_SECONDS, () => {
    leave();
    window.location.assign(partner.url);
  });

  useEffect(() => {
    stayButton.current?.focus();
  }, [counting]);

  return (
    <div role="group" aria-labelledby={`${id}-what`} aria-describedby={`${id}-where`} className={css.outcome}>
      <p id={`${id}-what`}>
        <strong>Sign-up is out of reach right now, so we could not confirm an account.</strong>
      </p>
      <p id={`${id}-where`}>
        {counting ? `You will be taken, in ${String(COUNTDOWN_SECONDS)} seconds,` : "You can go on"} to {partner.name} (
        {partner.host}) through an affiliate link: we may earn a commission. Your e-mail, password and age do not go
        there.
      </p>
      {counting && (
        <p role="timer" className={css.timer}>
          Leaving in {remaining} {remaining === 1 ? "second" : "seconds"}
        </p>
      )}
      <p role="status" className={counting ? "visually-hidden" : undefined}>
        {counting &&
          remaining <= REMINDER_SECONDS &&
          `${String(REMINDER_SECONDS)} seconds left. Choose Stop to stay here.`}
        {phase === "stopped" && "The countdown is stopped. You stay on this page."}
      </p>
      <div className={css.actions}>
        {counting ? (
          <button
            key="stop"
            ref={stayButton}
            type="button"
            className="button"
            onClick={() => {
              setPhase("stopped");
            }}
          >
            Stop
          </button>
        ) : (
          <button key="back" ref={stayButton} type="button" className="button" onClick={back}>
            Back to the form
          </button>
        )}
        <PartnerLink partner={partner} prefix="Go now to " className={`button quiet ${css.go ?? ""}`} onClick={leave} />
      </div>
    </div>
  );
}
