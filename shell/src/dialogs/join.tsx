import { Dialog } from "@colonnade/design";
import type { DialogProps, RetryProps } from "@colonnade/shell";
import type { ReactElement } from "react";

import { RetryButton } from "../frame/RetryButton";

/** Shown while the sign-up dialog loads. */
export function JoinLoading({ close }: DialogProps): ReactElement {
  return (
    <Dialog open heading="Sign-up is on its way" close={close}>
      <p>Loading…</p>
    </Dialog>
  );
}

/** Shown if the sign-up dialog fails. */
export function JoinFailed({ close, retry }: DialogProps & RetryProps): ReactElement {
  return (
    <Dialog open heading="Sign-up is unavailable right now" close={close}>
      <p>The rest of the site works as usual.</p>
      <RetryButton retry={retry} />
    </Dialog>
  );
}
