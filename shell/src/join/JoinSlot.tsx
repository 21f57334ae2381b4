import { Dialog, type JoinReason } from "@colonnade/kit";
import { use, useEffect, useState, type ReactElement } from "react";

import { RetryButton, type RetryButtonProps } from "../frame/RetryButton";
import { DeploymentGoneError } from "../loading/pageEndpoint";
import type { PinnedDeployment } from "../loading/pinnedDeployment";
import { isReachable } from "../loading/reload";
import type { SlotLoader } from "../loading/slotLoader";
import { NO_STYLES, useStyles } from "../loading/styles";
import { SectionErrorBoundary } from "../SectionErrorBoundary";
import { SectionRoot } from "../SectionRoot";

/** Props of {@link JoinSlot}. */
export interface JoinSlotProps {
  readonly loader: SlotLoader;
  readonly deployment: PinnedDeployment;
  readonly open: boolean;
  readonly reason: JoinReason;
  readonly close: () => void;
}

function Loading({ close }: { readonly close: () => void }): ReactElement {
  return (
    <Dialog open heading="Sign-up is on its way" close={close}>
      <p>Loading…</p>
    </Dialog>
  );
}

/** Reloads the document because the dialog is gone with the pinned deployment. Throws if no reload is possible. */
function Reload({ deployment, reason, close }: Pick<JoinSlotProps, "deployment" | "reason" | "close">): ReactElement {
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let active = true;
    // Checked first: the current page must not be replaced by a network error.
    void isReachable(location.pathname).then((reachable) => {
      if (active && !(reachable && deployment.reload({ join: reason }))) setFailed(true);
    });
    return () => {
      active = false;
    };
  }, [deployment, reason]);
  if (failed) throw new DeploymentGoneError();
  return <Loading close={close} />;
}

function SlotContent({ loader, deployment, open, reason, close }: JoinSlotProps): ReactElement | null {
  const slot = use(loader.load());
  useStyles(open ? loader.assets : NO_STYLES, "join");
  if (slot)
    return (
      <SectionRoot name={loader.section.name}>
        <slot.Component open={open} reason={reason} close={close} />
      </SectionRoot>
    );
  return open ? <Reload deployment={deployment} reason={reason} close={close} /> : null;
}

function Unavailable({ close, retry }: RetryButtonProps & { readonly close: () => void }): ReactElement {
  return (
    <Dialog open heading="Sign-up is unavailable right now" close={close}>
      <p>The rest of the site works as usual.</p>
      <RetryButton retry={retry} />
    </Dialog>
  );
}

/** The `join` slot: the dialog of the section that fills it. Its code loads on first use. */
export function JoinSlot(props: JoinSlotProps): ReactElement {
  const { loader, deployment, open, close } = props;
  return (
    <SectionErrorBoundary
      section={loader.section}
      deployment={deployment}
      slot={loader}
      loading={open && <Loading close={close} />}
      fallback={(retry) => open && <Unavailable close={close} retry={retry} />}
    >
      <SlotContent {...props} />
    </SectionErrorBoundary>
  );
}
