import type { SectionEntry } from "@colonnade/kit/shell";
import { Component, Suspense, type ReactNode } from "react";

import { isChunkLoadError } from "./errorClass.js";
import type { Phase } from "./errorReports.js";
import type { PinnedDeployment } from "./loading/pinnedDeployment.js";
import { isCurrentPath, isReachable, reloadDocument, viewPath } from "./loading/reload.js";
import type { ServerHtml } from "./loading/serverHtml.js";
import { focusHeading } from "./navigation/focus.js";
import type { RetryProps } from "./parts.js";

/** Props of {@link SectionErrorBoundary}. */
export interface SectionErrorBoundaryProps {
  readonly section: SectionEntry;
  /** The pattern of the page. */
  readonly pattern: string;
  readonly deployment: PinnedDeployment;
  /** Shown while the content suspends, and while the cause of a missing file is determined. */
  readonly loading: ReactNode;
  /** Shown in place of content that threw. */
  readonly fallback: (retry: RetryProps["retry"]) => ReactNode;
  /** The page's server-rendered HTML. It stays if hydration fails. */
  readonly serverHtml?: ServerHtml | null;
  readonly children: ReactNode;
}

interface State {
  readonly error: unknown;
  /** A file is missing, and it is not known yet whether a reload replaces the page. */
  readonly undecided: boolean;
  readonly failures: number;
}

/** Contains the errors of a section: Suspense boundary, error boundary, error report and retry in one. */
export class SectionErrorBoundary extends Component<SectionErrorBoundaryProps, State> {
  override state: State = { error: null, undecided: false, failures: 0 };

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error ?? new Error("the section threw null or undefined"), undecided: isChunkLoadError(error) };
  }

  override componentDidCatch(error: unknown): void {
    if (isChunkLoadError(error)) void this.handleMissingFile(error);
    else this.fail("render", error);
  }

  /** A missing file is either the section's fault or gone with the pinned deployment. */
  private async handleMissingFile(error: unknown): Promise<void> {
    const path = viewPath(location);
    const { deployment } = this.props;
    const status = await deployment.status();
    if (status === "gone" && isCurrentPath(path) && deployment.reload()) return;
    this.fail(status === "retained" ? "load" : null, error);
  }

  private fail(phase: Phase | null, error: unknown): void {
    const { section, pattern, deployment } = this.props;
    console.warn(`[shell] the section "${section.name}" failed while rendering:`, error);
    if (phase) deployment.report({ section, pattern }, phase, error);
    this.setState(({ failures }) => ({ undecided: false, failures: failures + 1 }));
  }

  override getSnapshotBeforeUpdate(_: SectionErrorBoundaryProps, before: State): null {
    const { serverHtml } = this.props;
    if (before.error === null && this.state.error !== null && serverHtml?.isStatic) serverHtml.detachFromReact();
    return null;
  }

  override componentDidUpdate({ serverHtml }: SectionErrorBoundaryProps, before: State): void {
    if (serverHtml !== this.props.serverHtml) serverHtml?.remove();
    // The fallback took the focused button with it.
    if (before.error !== null && this.state.error === null) focusHeading();
  }

  override componentWillUnmount(): void {
    this.props.serverHtml?.remove();
  }

  private readonly retry = (): void | Promise<void> => {
    // A second failure is not transient. A new document may have a newer release of the section.
    if (this.state.failures > 1) return this.retryInNewDocument();
    this.renderAgain();
  };

  private async retryInNewDocument(): Promise<void> {
    if (await isReachable(location.pathname)) await reloadDocument();
    this.renderAgain();
  }

  private renderAgain(): void {
    this.setState({ error: null });
  }

  override render(): ReactNode {
    const { loading, fallback, serverHtml, children } = this.props;
    const { error, undecided } = this.state;
    // The detached HTML stays readable until the visitor leaves the page.
    if (error !== null && serverHtml?.isStatic) return null;
    if (undecided) return loading;
    if (error !== null) return fallback(this.retry);
    return <Suspense fallback={loading}>{children}</Suspense>;
  }
}
