import { Component, type ReactElement, type ReactNode } from "react";

import { SectionFailed } from "./frame/SectionFailed";
import { isThere, leaveFor } from "./loading/document";
import { focusHeading } from "./navigation/focus";

interface Props {
  /** Name of the section, for the console. */
  readonly section: string;
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
  readonly failures: number;
}

/** Keeps what a section throws while rendering within that section. */
export class SectionBoundary extends Component<Props, State> {
  override state: State = { error: null, failures: 0 };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error ?? new Error("nothing was thrown") };
  }

  override componentDidCatch(error: unknown): void {
    console.warn(`[shell] the section "${this.props.section}" failed while rendering:`, error);
    this.setState(({ failures }) => ({ failures: failures + 1 }));
  }

  override componentDidUpdate(_: Props, before: State): void {
    // The button that was pressed is gone with the fallback.
    if (before.error !== null && this.state.error === null) focusHeading();
  }

  private readonly retry = (): void | Promise<void> => {
    // What fails twice is no passing fault; a new document may have another release of the section.
    if (this.state.failures > 1) return this.retryInNewDocument();
    this.setState({ error: null });
  };

  private async retryInNewDocument(): Promise<void> {
    if (await isThere(location.pathname)) await leaveFor(location.pathname);
    this.setState({ error: null });
  }

  override render(): ReactNode {
    if (this.state.error !== null) return (<SectionFailed retry={this.retry} />) as ReactElement;
    return this.props.children;
  }
}
