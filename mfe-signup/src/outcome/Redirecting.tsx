import { useEffect, useRef, type ReactElement } from "react";

import { Actions } from "../actions/Actions";
import css from "./outcome.module.css";

/** How long the target host is shown before the redirect. */
export const REDIRECT_DELAY_MS = 2_000;

interface RedirectingProps {
  readonly url: string;
  /** Target host if the redirect leaves this origin. */
  readonly host: string | null;
  /** Whether this is in the dialog. */
  readonly docked: boolean;
}

/** Says that the account was created, then redirects. */
export function Redirecting({ url, host, docked }: RedirectingProps): ReactElement {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    text.current?.focus();
    const timer = setTimeout(
      () => {
        window.location.assign(url);
      },
      host === null ? 0 : REDIRECT_DELAY_MS,
    );
    return () => {
      clearTimeout(timer);
    };
  }, [url, host]);
  return (
    <div className={css.redirecting}>
      <p role="status" tabIndex={-1} ref={text}>
        Your account was created. We’re taking you{" "}
        {host === null ? (
          <span>there</span>
        ) : (
          <>
            to <strong>{host}</strong>
          </>
        )}
        .
      </p>
      <Actions docked={docked}>
        <a className="button" href={url} rel="noopener nofollow">
          {host === null ? "Continue" : `Continue to ${host}`}
        </a>
      </Actions>
    </div>
  );
}
