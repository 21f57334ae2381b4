import { useEffect, useRef, type ReactElement } from "react";

import css from "./outcome.module.css";

/** How long the name of the next host stands there before the visitor leaves for it. */
export const LEAVING_MS = 2_000;

/** Props of {@link Leaving}. */
export interface LeavingProps {
  readonly url: string;
  /** Named where the visitor leaves this origin. */
  readonly host: string | null;
}

/** Says that the account was created, and loads where it leads. */
export function Leaving({ url, host }: LeavingProps): ReactElement {
  const text = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    text.current?.focus();
    const timer = setTimeout(
      () => {
        window.location.assign(url);
      },
      host === null ? 0 : LEAVING_MS,
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
