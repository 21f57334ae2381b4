import type { Partner } from "@colonnade/kit";
import { useEffect, useId, useRef, useState, type ReactElement } from "react";

import { useCountdown } from "./countdown";
import css from "./outcome.module.css";
import { PartnerLink } from "./PartnerLink";

/** How long the visitor has before leaving for the partner. */
export const COUNTDOWN_SECONDS = 10;
const REMINDER_SECONDS = 5;

/** Props of {@link OutOfReach}. */
export interface OutOfReachProps {
  readonly partner: Partner;
  /** Back to the form. */
  readonly back: () => void;
}

/**
 * Says that sign-up is out of reach and takes the visitor to the partner after a countdown. The focus
 * goes to 'Stop': a key pressed in surprise keeps the visitor here.
 */
export function OutOfReach({ partner, back }: OutOfReachProps): ReactElement {
  const id = useId();
  const [phase, setPhase] = useState<"counting" | "stopped" | "gone">("counting");
  const stay = useRef<HTMLButtonElement>(null);
  const counting = phase === "counting";
  // Whoever comes back by the browser's own button finds no countdown running.
  const leave = (): void => {
    setPhase("gone");
  };
  const left = useCountdown(counting, COUNTDOWN_SECONDS, () => {
    leave();
    window.location.assign(partner.url);
  });

  useEffect(() => {
    stay.current?.focus();
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
          Leaving in {left} {left === 1 ? "second" : "seconds"}
        </p>
      )}
      <p role="status" className={counting ? "visually-hidden" : undefined}>
        {counting && left <= REMINDER_SECONDS && `${String(REMINDER_SECONDS)} seconds left. Choose Stop to stay here.`}
        {phase === "stopped" && "The countdown is stopped. You stay on this page."}
      </p>
      <div className={css.actions}>
        {counting ? (
          <button
            key="stop"
            ref={stay}
            type="button"
            className="button"
            onClick={() => {
              setPhase("stopped");
            }}
          >
            Stop
          </button>
        ) : (
          <button key="back" ref={stay} type="button" className="button" onClick={back}>
            Back to the form
          </button>
        )}
        <PartnerLink partner={partner} lead="Go now to " className={`button quiet ${css.go ?? ""}`} onClick={leave} />
      </div>
    </div>
  );
}
