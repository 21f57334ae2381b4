import type { JoinSlotProps } from "@colonnade/kit";
import { useId, useLayoutEffect, useRef, type MouseEvent, type PointerEvent, type ReactElement } from "react";

import { useSignupEnded } from "../ending/ended";
import { ENDED_HEADING, SignupEnded } from "../ending/SignupEnded";
import { SIGNUP_HEADING } from "../form/heading";
import { SAMPLE_NOTICE } from "../form/sampleNotice";
import { SignupForm } from "../form/SignupForm";
import css from "./JoinDialog.module.css";

/**
 * The sign-up dialog. Its contents live as long as it is open: closing it cancels what is on its way,
 * and leaves no password behind.
 */
export function JoinDialog({ open, close, reason }: JoinSlotProps): ReactElement {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const pressedBackdrop = useRef(false);
  const ended = useSignupEnded();
  const sample = reason === "sample" && !ended;

  // Before the browser draws, and before it takes the dialog away: it gives the focus back only for one that is closed.
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!open || !element) return undefined;
    element.showModal();
    // The start of what there is to read, ahead of the fields; a phone's keyboard stays away, too.
    heading.current?.focus();
    return () => {
      element.close();
    };
  }, [open]);

  // The dialog itself is only ever hit outside its contents: on the backdrop. A press that began inside,
  // such as selecting text, is no click on it.
  const onPointerDown = (event: PointerEvent): void => {
    pressedBackdrop.current = event.target === event.currentTarget;
  };
  const onClick = (event: MouseEvent): void => {
    if (pressedBackdrop.current && event.target === event.currentTarget) close();
  };
  // Escape has closed it already, at times without an `onCancel` before. The event comes late, so it may be about an
  // earlier time it was open; and who asks for the dialog again before it comes would be refused by it.
  const onClose = (): void => {
    if (open && !dialog.current?.open) close();
  };

  return (
    <dialog
      ref={dialog}
      className={css.dialog}
      aria-labelledby={`${id}-title`}
      aria-describedby={sample ? `${id}-sample` : undefined}
      onCancel={close}
      onClose={onClose}
      onPointerDown={onPointerDown}
      onClick={onClick}
    >
      {open && (
        <div className={css.contents}>
          <div className={css.top}>
            <h2 id={`${id}-title`} ref={heading} tabIndex={-1}>
              {ended ? ENDED_HEADING : SIGNUP_HEADING}
            </h2>
            <button type="button" className={css.close} aria-label="Close" onClick={close}>
              <svg viewBox="0 0 24 24" aria-hidden="true">
                <path d="M6 6l12 12M18 6 6 18" />
              </svg>
            </button>
          </div>
          {sample && (
            <p id={`${id}-sample`} className="notice">
              {SAMPLE_NOTICE}
            </p>
          )}
          {ended ? <SignupEnded /> : <SignupForm onDone={close} />}
        </div>
      )}
    </dialog>
  );
}
