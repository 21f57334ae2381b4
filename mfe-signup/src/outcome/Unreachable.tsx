import { Notice, type Partner } from "@colonnade/design";
import { useEffect, useId, useRef, useState, type MouseEvent, type ReactElement } from "react";

import { Actions } from "../actions/Actions";
import { useCountdown } from "./countdown";
import css from "./outcome.module.css";
import { PartnerLink } from "./PartnerLink";

/** Seconds until the redirect to the partner. */
const COUNTDOWN_SECONDS = 10;
/** The one second in which the status has the reminder: later, it would contradict the timer. */
const REMINDER_SECONDS = 5;

/** How long the partner link ignores clicks, which may be meant for the form's button. */
const LINK_DELAY_MS = 1_000;

type Phase = "counting" | "stopped" | "left";

// Each text that changes is alone in its element, so that it also changes on a page that the browser has translated.
function statusOf(phase: Phase, remaining: number): string {
  if (phase === "stopped") return "Stopped. You’re staying on this page.";
  const reminds = phase === "counting" && remaining === REMINDER_SECONDS;
  return reminds ? `${String(REMINDER_SECONDS)} seconds left. Choose Stop to stay here.` : "";
}

/** Whether the partner link follows clicks. */
function useLinkWorks(): boolean {
  const [works, setWorks] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      setWorks(true);
    }, LINK_DELAY_MS);
    return () => {
      clearTimeout(timer);
    };
  }, []);
  return works;
}

interface UnreachableProps {
  readonly partner: Partner;
  /** Whether this is in the dialog. */
  readonly docked: boolean;
  /** Returns to the form. */
  readonly back: () => void;
}

/**
 * Says that sign-up is unreachable and redirects to the partner after a countdown. 'Stop' has the focus, and the place of
 * the form's button, so that an accidental key press or click keeps the visitor on the page.
 */
export function Unreachable({ partner, docked, back }: UnreachableProps): ReactElement {
  const id = useId();
  const [phase, setPhase] = useState<Phase>("counting");
  const linkWorks = useLinkWorks();
  const stayButton = useRef<HTMLButtonElement>(null);
  const counting = phase === "counting";
  const affiliateFact = counting
    ? "When the countdown ends, we open the affiliate link below"
    : "The link below is an affiliate link";
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

  const follow = (event: MouseEvent): void => {
    if (linkWorks) leave();
    else event.preventDefault();
  };

  return (
    <div role="group" aria-labelledby={`${id}-what`} aria-describedby={`${id}-where`} className={css.unreachable}>
      <div className={css.middle}>
        {/* The logo with a missing column, like the shell's messages. */}
        <svg className={css.temple} viewBox="3 4 18 17" aria-hidden="true">
          <path d="M3 9 12 4l9 5v1.5H3zM5 12h2.5v6H5zM16.5 12H19v6h-2.5zM3 19.5h18V21H3z" />
          <path d="M10.75 12h2.5v6h-2.5z" />
        </svg>
        <Notice className={css.message}>
          <p id={`${id}-what`}>
            <strong>We couldn’t reach the sign-up service. We don’t know whether your account was created.</strong>
          </p>
          <div id={`${id}-where`} className={css.where}>
            {counting && (
              <p role="timer" className={css.timer}>
                {`Taking you to ${partner.name} in ${String(remaining)} ${remaining === 1 ? "second" : "seconds"}.`}
              </p>
            )}
            <p role="status" className={counting ? "visually-hidden" : undefined}>
              {statusOf(phase, remaining)}
            </p>
            <p>{`${affiliateFact}. We may earn a commission. Nothing you typed goes there.`}</p>
          </div>
          <PartnerLink
            partner={partner}
            prefix="Go now to "
            className={`button quiet ${css.go ?? ""}`}
            aria-disabled={!linkWorks}
            onClick={follow}
            onAuxClick={follow}
          />
        </Notice>
      </div>
      <Actions docked={docked}>
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
      </Actions>
    </div>
  );
}
