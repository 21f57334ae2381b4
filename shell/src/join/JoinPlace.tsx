import type { JoinReason } from "@colonnade/kit";
import { Component, Suspense, use, type ReactElement, type ReactNode } from "react";

import { RetryButton } from "../frame/RetryButton";
import { isThere, leaveFor } from "../loading/document";
import type { SlotLoader } from "../loading/slot";
import { PlaceDialog } from "./PlaceDialog";

/** Props of {@link JoinPlace}. */
export interface JoinPlaceProps {
  readonly loader: SlotLoader;
  readonly open: boolean;
  readonly reason: JoinReason;
  readonly close: () => void;
}

function Filled({ loader, ...props }: JoinPlaceProps): ReactElement {
  const { Component: Dialog } = loader.loaded() ?? use(loader.load());
  return <Dialog {...props} />;
}

function Unavailable({
  close,
  retry,
}: {
  readonly close: () => void;
  readonly retry: () => void | Promise<void>;
}): ReactElement {
  return (
    <PlaceDialog label="Sign-up is unavailable" close={close}>
      <h2>Sign-up is unavailable right now</h2>
      <p>The rest of the site works as usual.</p>
      <RetryButton retry={retry} />
    </PlaceDialog>
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

  override componentDidCatch(): void {
    this.setState(({ failures }) => ({ failures: failures + 1 }));
  }

  private readonly retry = (): void | Promise<void> => {
    // What fails twice is no passing fault; a new document may have another release of the dialog.
    if (this.state.failures > 1) return this.retryInNewDocument();
    this.tryAgain();
  };

  private async retryInNewDocument(): Promise<void> {
    if (await isThere(location.pathname)) await leaveFor(location.pathname);
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
  const waiting = (
    <PlaceDialog label="Sign-up is on its way" close={props.close}>
      <p>Loading…</p>
    </PlaceDialog>
  );
  return (
    <JoinBoundary {...props}>
      <Suspense fallback={props.open && waiting}>
        <Filled {...props} />
      </Suspense>
    </JoinBoundary>
  );
}
