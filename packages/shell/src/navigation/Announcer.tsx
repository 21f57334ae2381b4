import type { ReactElement } from "react";

/** Live region that announces page changes to screen readers. */
export function Announcer({ text }: { readonly text: string }): ReactElement {
  return (
    <div role="status" aria-live="polite" data-announcer="" data-visually-hidden="">
      {text}
    </div>
  );
}
