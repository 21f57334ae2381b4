import type { SectionEntry } from "@colonnade/kit/shell";
import { Component, type ReactElement, type ReactNode } from "react";

import { Loading } from "./frame/Loading";
import { SectionFailed } from "./frame/SectionFailed";
import { isAt, isThere, loadAnew } from "./loading/document";
import type { RenderedHtml } from "./loading/html";
import type { Tab } from "./loading/tab";
import { focusHeading } from "./navigation/focus";
import { isMissingFile, type Phase } from "./reports";

interface Props {
  readonly section: SectionEntry;
  readonly tab: Tab;
  /** What the page came with: it outlives code that throws before it has taken it over. */
  readonly html?: RenderedHtml | null;
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
  /** It is not known yet whether a new document is to take the place of what failed. */
  readonly undecided: boolean;
  readonly failures: number;
}

/** Keeps what a section throws while rendering within that section. */
export class SectionBoundary extends Component<Props, State> {
  override state: State = { error: null, undecided: false, failures: 0 };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error ?? new Error("nothing was thrown"), undecided: isMissingFile(error) };
  }

  override componentDidCatch(error: unknown): void {
    if (isMissingFile(error)) void this.decide(error);
    else this.fail("render", error);
  }

  /** A file that is missing is the section's fault, or went with the tab's deployment. */
  private async decide(error: unknown): Promise<void> {
    const { pathname } = location;
    const { tab } = this.props;
    const standing = await tab.standing();
    if (standing === "gone" && isAt(pathname) && tab.renew()) return;
    this.fail(standing === "kept" ? "load" : null, error);
  }

  private fail(phase: Phase | null, error: unknown): void {
    const { section, tab } = this.props;
    console.warn(`[shell] the section "${section.name}" failed while rendering:`, error);
    if (phase) tab.report(section, phase, error);
    this.setState(({ failures }) => ({ undecided: false, failures: failures + 1 }));
  }

  override getSnapshotBeforeUpdate(_: Props, before: State): null {
    const { html } = this.props;
    if (before.error === null && this.state.error !== null && html?.stands) html.keep();
    return null;
  }

  override componentDidUpdate(_: Props, before: State): void {
    // The button that was pressed is gone with the fallback.
    if (before.error !== null && this.state.error === null) focusHeading();
  }

  override componentWillUnmount(): void {
    this.props.html?.leave();
  }

  private readonly retry = (): void | Promise<void> => {
    // What fails twice is no passing fault; a new document may have another release of the section.
    if (this.state.failures > 1) return this.retryInNewDocument();
    this.setState({ error: null });
  };

  private async retryInNewDocument(): Promise<void> {
    if (await isThere(location.pathname)) await loadAnew();
    this.setState({ error: null });
  }

  override render(): ReactNode {
    // It reads on. Another page, or this one when the visitor comes back to it, is another attempt.
    if (this.state.error !== null && this.props.html?.stands) return null;
    if (this.state.undecided) return <Loading />;
    if (this.state.error !== null) return (<SectionFailed retry={this.retry} />) as ReactElement;
    return this.props.children;
  }
}
