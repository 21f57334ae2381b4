import { scopeClass, SectionContext, type Asset, type RemoteViewProps } from "@colonnade/kit/shell";
import { Component, Suspense, type ComponentType, type ReactElement, type ReactNode } from "react";

import { useStyles } from "./styles.js";

interface RemoteViewOptions {
  /** ID of the module. */
  readonly id: string;
  /** Name of the section that exposes it. */
  readonly section: string;
  readonly assets: readonly Asset[];
  readonly Component: ComponentType;
  /** Called when the component throws. */
  readonly onError: (error: unknown) => void;
}

interface BoundaryProps {
  readonly fallback: ReactNode;
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** Shows the fallback in place of a component that throws, until it is mounted again. */
class RemoteBoundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(error: unknown): void {
    this.props.onError(error);
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.fallback : this.props.children;
  }
}

/**
 * Creates the component that shows a remote module, with the module's stylesheets in force. The element around it, to which
 * plain stylesheets of its section are limited, has no box: the module fits in where it stands.
 */
export function createRemoteView({
  id,
  section,
  assets,
  Component: Remote,
  onError,
}: RemoteViewOptions): ComponentType<RemoteViewProps> {
  return function RemoteView({ fallback, props }: RemoteViewProps): ReactElement {
    useStyles(assets, id);
    return (
      <RemoteBoundary fallback={fallback} onError={onError}>
        <Suspense fallback={fallback}>
          <SectionContext value={section}>
            {/* React sets this style by script, which the policy permits: the server renders no remote. */}
            {/* eslint-disable-next-line no-restricted-syntax */}
            <div className={scopeClass(section)} style={{ display: "contents" }}>
              <Remote {...props} />
            </div>
          </SectionContext>
        </Suspense>
      </RemoteBoundary>
    );
  };
}
