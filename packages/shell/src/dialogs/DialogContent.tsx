import type { DialogParams } from "@colonnade/kit";
import { use, useEffect, useState, type ReactElement } from "react";

import { DeploymentGoneError } from "../loading/pageEndpoint.js";
import type { PinnedDeployment } from "../loading/pinnedDeployment.js";
import { isReachable } from "../loading/reload.js";
import type { SlotLoader } from "../loading/slotLoader.js";
import { NO_STYLES, useStyles } from "../loading/styles.js";
import type { DialogParts } from "../parts.js";
import { SectionErrorBoundary } from "../SectionErrorBoundary.js";
import { SectionRoot } from "../SectionRoot.js";

/** Props of {@link DialogContent}. */
export interface DialogContentProps {
  readonly slot: string;
  readonly parts: DialogParts;
  readonly loader: SlotLoader;
  readonly deployment: PinnedDeployment;
  readonly open: boolean;
  readonly params: DialogParams;
  readonly close: () => void;
}

/** Reloads the document because the dialog is gone with the pinned deployment. Throws if no reload is possible. */
function Reload({ slot, parts, deployment, params, close }: DialogContentProps): ReactElement {
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    let active = true;
    // Checked first: the current page must not be replaced by a network error.
    void isReachable(location.pathname).then((reachable) => {
      if (active && !(reachable && deployment.reload({ dialog: { slot, params } }))) setFailed(true);
    });
    return () => {
      active = false;
    };
  }, [deployment, slot, params]);
  if (failed) throw new DeploymentGoneError();
  return <parts.Loading close={close} />;
}

function Loaded(props: DialogContentProps): ReactElement | null {
  const { slot, loader, open, params, close } = props;
  const content = use(loader.load());
  useStyles(open ? loader.assets : NO_STYLES, slot);
  if (content)
    return (
      <SectionRoot name={loader.section.name}>
        <content.Component open={open} params={params} close={close} />
      </SectionRoot>
    );
  return open ? <Reload {...props} /> : null;
}

/** The dialog of the section that fills a slot. Its code loads on first use. */
export function DialogContent(props: DialogContentProps): ReactElement {
  const { parts, loader, deployment, open, close } = props;
  return (
    <SectionErrorBoundary
      section={loader.section}
      deployment={deployment}
      slot={loader}
      loading={open && <parts.Loading close={close} />}
      fallback={(retry) => open && <parts.Failed close={close} retry={retry} />}
    >
      <Loaded {...props} />
    </SectionErrorBoundary>
  );
}
