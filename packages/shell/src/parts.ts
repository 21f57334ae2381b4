import type { Layout, NotFound } from "@colonnade/kit";
import type { AnyExtensionPoint } from "@colonnade/kit/shell";
import type { ModuleFederationRuntimePlugin } from "@module-federation/enhanced/runtime";
import type { ComponentType, ReactNode } from "react";

/** A plugin of the Module Federation runtime. */
export type FederationPlugin = ModuleFederationRuntimePlugin;

/** Props of a shell's {@link ShellParts.Frame}. */
export interface FrameProps {
  /** What the page says about its frame. */
  readonly layout: Layout;
  /** Path of the current page, if it exists. Navigation links mark it. */
  readonly currentPath?: string | undefined;
  /** The page. It belongs in the element with the ID `main`. */
  readonly children: ReactNode;
}

/** Props of what a shell shows in place of content that failed. */
export interface RetryProps {
  /** Retries. Called in a transition, so the message stays until the outcome is known. */
  readonly retry: () => void | Promise<void>;
}

/** Props of what a shell shows in place of a dialog. */
export interface DialogPartProps {
  /** Closes the dialog. */
  readonly close: () => void;
}

/** What a shell shows while a dialog loads, and if it fails. */
export interface DialogParts {
  /** Shown while the dialog's code loads. */
  readonly Loading: ComponentType<DialogPartProps>;
  /** Shown if it fails to load or throws. */
  readonly Failed: ComponentType<DialogPartProps & RetryProps>;
}

/** Titles of documents without a page of a section. The shell appends the site's name. */
export interface Titles {
  /** No section has a page for the path. Also the heading of {@link ShellParts.NotFound}. Default: `Page not found`. */
  readonly notFound: string;
  /** The page failed to load. Default: `Unavailable right now`. */
  readonly failed: string;
}

/** What a site's shell consists of, besides what every shell has. */
export interface ShellParts {
  /** The frame of every page: header, main region and footer. The main region is `<main id="main" tabIndex={-1}>`. */
  readonly Frame: ComponentType<FrameProps>;
  /** Shown while a page loads. */
  readonly Loading: ComponentType;
  /** Shown if there is no page. `heading` comes from the section, or is the title; `text` and `link` come from the section. */
  readonly NotFound: ComponentType<NotFound>;
  /** Shown in place of a section that failed. The rest of the site keeps working. */
  readonly Failed: ComponentType<RetryProps>;
  /** Shown in place of a page that failed to load while the browser is offline. The shell retries when it is back online. */
  readonly Offline: ComponentType<RetryProps>;
  /** Layout of the frame around the loading indicator of the first page. */
  readonly loadingLayout?: Layout;
  /** Titles of documents without a page. */
  readonly titles?: Partial<Titles>;
  /** Shows the dialogs that sections expose. Without it, their buttons and links open pages. */
  readonly dialog?: DialogParts;
  /** The extension points that the frame shows, each once, by `<ExtensionPoint>` of `@colonnade/kit/extensions`. */
  readonly extensionPoints?: readonly AnyExtensionPoint[];
  /**
   * Plugins of the Module Federation runtime, which the shell loads when the first page is idle. Their code is part of the shell's
   * first script; one that is large imports it in its hooks.
   */
  readonly federationPlugins?: readonly FederationPlugin[];
}

const TITLES: Titles = { notFound: "Page not found", failed: "Unavailable right now" };

/** The titles of a shell. */
export function titlesOf({ titles }: ShellParts): Titles {
  return { ...TITLES, ...titles };
}

/**
 * Declares a shell. Returns its argument: the default export of the shell's entry module, from which `colonnade build` makes
 * the scripts for browsers and the server module.
 *
 * @example
 * ```tsx
 * import { createShell } from "@colonnade/shell";
 *
 * export default createShell({
 *   Frame: ({ children }) => (
 *     <main id="main" tabIndex={-1}>
 *       {children}
 *     </main>
 *   ),
 *   Loading: () => <p>Loading…</p>,
 *   NotFound: ({ heading }) => <h1>{heading}</h1>,
 *   Failed: ({ retry }) => <button onClick={() => void retry()}>Try again</button>,
 *   Offline: ({ retry }) => <button onClick={() => void retry()}>Try again</button>,
 * });
 * ```
 */
export function createShell(parts: ShellParts): ShellParts {
  return parts;
}
