import { Dialog } from "@colonnade/design";
import type { DialogParts, DialogProps, RetryProps } from "@colonnade/shell";
import type { ReactElement } from "react";

import { RetryButton } from "../frame/RetryButton";

function Loading({ close }: DialogProps): ReactElement {
  return (
    <Dialog open heading="Sign-up is on its way" close={close}>
      <p>Loading…</p>
    </Dialog>
  );
}

function Failed({ close, retry }: DialogProps & RetryProps): ReactElement {
  return (
    <Dialog open heading="Sign-up is unavailable right now" close={close}>
      <p>The rest of the site works as usual.</p>
      <RetryButton retry={retry} />
    </Dialog>
  );
}

/** What the shell shows in place of the sign-up dialog. */
export const dialog: DialogParts = { Loading, Failed };
