import { Dialog } from "@colonnade/design";
import type { DialogPartProps, RetryProps } from "@colonnade/shell";
import type { ReactElement } from "react";

import { RetryButton } from "./messages";

/** Shown while a dialog loads. */
export function DialogLoading({ close }: DialogPartProps): ReactElement {
  return (
    <Dialog open heading="One moment, please" close={close}>
      <p>Loading…</p>
    </Dialog>
  );
}

/** Shown if a dialog fails. */
export function DialogFailed({ close, retry }: DialogPartProps & RetryProps): ReactElement {
  return (
    <Dialog open heading="This is unavailable right now" close={close}>
      <p>The rest of the site works as usual.</p>
      <RetryButton retry={retry} />
    </Dialog>
  );
}
