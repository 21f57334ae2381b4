import { Dialog, type JoinReason } from "@colonnade/kit";
import { Component, Suspense, use, useEffect, useState, type ReactElement, type ReactNode } from "react";

import { RetryButton } from "../frame/RetryButton";
import { holdsTypedText, isThere, loadAnew } from "../loading/document";
import { DeploymentGone } from "../loading/lookup";
import type { SlotLoader } from "../loading/slot";
import type { Tab } from "../loading/tab";

/** Props of {@link JoinPlace}. */
export interface JoinPlaceProps {
  readonly loader: SlotLoader;
  readonly tab: Tab;
  readonly open: boolean;
  readonly reason: JoinReason;
  readonly close: () => void;
}

function Waiting({ close }: { readonly close: () => void }): ReactElement {
  return (
    <Dialog open heading="Sign-up is on its way" close={close}>
      <p>Loading…</p>
    </Dialog>
  );
}

/**
 * Stands in for a dialog that went with the tab's deployment: a new document, in which it opens by itself, is on its
 * way. Fails where there can be none.
 */
function Renewing({ tab, reason, close }: Pick<JoinPlaceProps, "tab" | "reason" | "close">): ReactElement {
  const [stays, setStays] = useState(false);
  useEffect(() => {
    let wanted = true;
    // The page that is shown can be read, and must not give way to none.
    void isThere(location.pathname).then((there) => {
      if (wanted && !(there && tab.renew({ join: reason }))) setStays(true);
    });
    return () => {
      wanted = false;
    };
  }, [tab, reason]);
  if (stays) throw new DeploymentGone();
  return <Waiting close={close} />;
}

function Filled({ loader, tab, open, reason, close }: JoinPlaceProps): ReactElement | null {
  const slot = use(loader.load());
  if (slot) return <slot.Component open={open} reason={reason} close={close} />;
  return open ? <Renewing tab={tab} reason={reason} close={close} /> : null;
}

function Unavailable({
  close,
  retry,
}: {
  readonly close: () => void;
  readonly retry: () => void | Promise<void>;
}): ReactElement {
  return (
    <Dialog open heading="Sign-up is unavailable right now" close={close}>
      <p>The rest of the site works as usual.</p>
      <RetryButton retry={retry} />
    </Dialog>
  );
}

interface State {
  readonly failed: boolean;
  readonly failures: number;
}

class JoinBoundary extends Component<JoinPlaceProps & { readonly children: ReactNode }, State> {
  override state: State = { failed: false, failures: 0 };

  static getDerivedStateFromError(): Partial<State> {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    const { loader, tab } = this.props;
    // What could not be loaded has been reported by its loader.
    if (loader.loaded()) tab.report(loader.section, "render", error);
    this.setState(({ failures }) => ({ failures: failures + 1 }));
  }

  private readonly retry = (): void | Promise<void> => {
    // What fails twice is no passing fault; a new document may have another release of the dialog.
    if (this.state.failures > 1) return this.retryInNewDocument();
    this.tryAgain();
  };

  private async retryInNewDocument(): Promise<void> {
    if (!holdsTypedText() && (await isThere(location.pathname))) await loadAnew();
    this.tryAgain();
  }

  private tryAgain(): void {
    this.props.loader.retry();
    this.setState({ failed: false });
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children;
    return this.props.open && <Unavailable close={this.props.close} retry={this.retry} />;
  }
}

/** The `join` slot: the dialog of whichever section fills it, fetched no sooner than it is wanted. */
export function JoinPlace(props: JoinPlaceProps): ReactElement {
  return (
    <JoinBoundary {...props}>
      <Suspense fallback={props.open && <Waiting close={props.close} />}>
        <Filled {...props} />
      </Suspense>
    </JoinBoundary>
  );
}
