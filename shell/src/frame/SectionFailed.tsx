import { useTransition, type ReactElement } from "react";

/** Props of {@link SectionFailed}. */
export interface SectionFailedProps {
  /** Starts another attempt, as part of a transition: this stays until its outcome is known. */
  readonly retry: () => void;
}

/** Stands in for a section that cannot be shown, while the rest of the site goes on. */
export function SectionFailed({ retry }: SectionFailedProps): ReactElement {
  const [trying, startTransition] = useTransition();
  return (
    <div className="page message" role="alert">
      <h1>This part of the site is unavailable right now</h1>
      <p>Everything else works as usual. You can try again, or go on by the menu.</p>
      <button
        type="button"
        className="button"
        disabled={trying}
        onClick={() => {
          startTransition(retry);
        }}
      >
        {trying ? "Trying…" : "Try again"}
      </button>
    </div>
  );
}
