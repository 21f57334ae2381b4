import type { JoinReason } from "@colonnade/kit";
import { Component, Suspense, use, type ReactElement, type ReactNode } from "react";

import { RetryButton } from "../frame/RetryButton";
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

function Unavailable({ close, retry }: { readonly close: () => void; readonly retry: () => void }): ReactElement {
  return (
    <PlaceDialog label="Sign-up is unavailable" close={close}>
      <h2>Sign-up is unavailable right now</h2>
      <p>The rest of the site works as usual.</p>
      <RetryButton retry={retry} />
    </PlaceDialog>
  );
}

class JoinBoundary extends Component<JoinPlaceProps & { readonly children: ReactNode }, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { failed: boolean } {
    return { failed: true };
  }

  private readonly retry = (): void => {
    this.props.loader.retry();
    this.setState({ failed: false });
  };

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
