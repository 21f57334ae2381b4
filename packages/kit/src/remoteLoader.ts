import type { ComponentType, ReactNode } from "react";

/** Props of the component that shows a remote module. */
export interface RemoteViewProps {
  /** Shown in place of a component that fails. */
  readonly fallback: ReactNode;
  /** Props of the module's component. */
  readonly props: object;
}

/** Loads modules that sections expose, in the releases of the visitor's set. */
export interface RemoteLoader {
  /** Loads a module by its ID, `section/Name`. Rejects if it is not live or does not load. */
  readonly load: (id: string) => Promise<unknown>;
  /** Loads the component that shows a module, with its stylesheets and in an error boundary. Never rejects. */
  readonly view: (id: string) => Promise<ComponentType<RemoteViewProps>>;
}

/** The loader of remote modules, which arrives after the first view. */
export interface Remotes {
  /** The loader, once it has arrived. */
  readonly loaded?: RemoteLoader;
  /** Loads the loader. Rejects if that fails; the next call tries again. */
  readonly start: () => Promise<RemoteLoader>;
}
