import { useEffect, useRef, type ReactElement } from "react";

import css from "./outcome.module.css";

/** How long the target host is shown before the redirect. */
export const REDIRECT_DELAY_MS = 2_000;

/** Props of {@link Redirecting}. */
export interface RedirectingProps {
  readonly url: string;
  /** Target host if the redirect leaves this origin. */
  readonly host: string | null;
}

/** Says that the account was created, then redirects. */
export function Redirecting({ url, host }: RedirectingProps): ReactElement {
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
    <div className={css.outcome}>
      <p role="status" tabIndex={-1} ref={text}>
        Your account was created. You are being taken{" "}
        {host === null ? (
          "on"
        ) : (
          <>
            to <strong>{host}</strong>
          </>
        )}
        .
      </p>
      <p>
        <a href={url} rel="noopener nofollow">
          Continue{host !== null && ` to ${host}`}
        </a>
      </p>
    </div>
  );
}
