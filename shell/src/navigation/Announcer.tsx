import type { ReactElement } from "react";

/** Tells a screen reader that a new page is shown. */
export function Announcer({ text }: { readonly text: string }): ReactElement {
  return (
    <div className="visually-hidden" role="status" aria-live="polite" data-announcer="">
      {text}
    </div>
  );
}
