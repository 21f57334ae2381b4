import { createContext, useContext, type ComponentType } from "react";

import type { DialogParams } from "./dialog.js";
import type { ExtensionPlaceProps } from "./extensionPlace.js";
import type { Remotes } from "./remoteLoader.js";
import type { SectionConfiguration, Site } from "./site.js";

/** Services that the shell provides to sections. */
export interface ShellServices {
  readonly site: Site;
  /** The configurations of the sections of this document, by name. */
  readonly configs: Readonly<Record<string, SectionConfiguration>>;
  /** Opens a dialog, or `page` if no live section exposes it. */
  readonly openDialog: (dialog: string, params: DialogParams, page?: string) => void;
  /** Loads modules that other sections expose. Absent on the server. */
  readonly remotes?: Remotes | undefined;
  /** Renders the place of an extension point, and shows its extensions there. */
  readonly ExtensionPlace: ComponentType<ExtensionPlaceProps>;
}

/** Data attribute that marks a form or an anchor for the shell. Its value is the dialog that it opens. */
export const DIALOG_ATTRIBUTE = "data-dialog";
/** Data attribute of such an element. Its value is the dialog's params, encoded as a query. */
export const DIALOG_PARAMS_ATTRIBUTE = "data-params";

/** The shell's services. Null outside the shell. */
export const ShellContext = createContext<ShellServices | null>(null);
/** What the shell provides to a page, and to the frame around it. */
export interface PageServices {
  /** The page's pattern. Null if there is no page at the URL, absent while it loads or if it fails. */
  readonly pattern?: string | null;
  /** Decoded values of the pattern's `:param` segments, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Values of the query parameters that the page declares. Absent if it declares none. */
  readonly search?: object | undefined;
}

/** The current page, provided by the shell. */
export const PageContext = createContext<PageServices>({ params: {} });

/** The name of the section around a component, provided by the shell. Null outside the shell. */
export const SectionContext = createContext<string | null>(null);

/** The error of a hook that needs the shell. */
export function outsideShell(hook: string): Error {
  return new Error(
    `${hook}() was called outside the shell; in tests, render with renderPage() from @colonnade/kit/testing`,
  );
}

const NO_CONFIG: SectionConfiguration = {};

function useShell(hook: string): ShellServices {
  const services = useContext(ShellContext);
  if (!services) throw outsideShell(hook);
  return services;
}

/**
 * Returns what the operator's configuration says about the site: brand, origin, contact, facts and today's date.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { useSite } from "@colonnade/kit";
 *
 * export const Contact = () => <a href={`mailto:${useSite().contact}`}>Write to us</a>;
 * ```
 */
export function useSite(): Site {
  return useShell("useSite").site;
}

/**
 * Returns the configuration of this section: the table `[sections.<name>.config]` of the gateway's configuration, on the server
 * and in the browser. It is public, as the site's facts are. `Values` is the section's own type of the values that its
 * `section.config.js` lists; without it, all values are unknown.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { useConfig } from "@colonnade/kit";
 *
 * interface Config {
 *   readonly helpUrl: string;
 * }
 *
 * export const Help = () => <a href={useConfig<Config>().helpUrl}>Help</a>;
 * ```
 */
// The caller names the type: one of the kit's for all sections would be shared by sections that know each other's types.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function useConfig<Values extends object = SectionConfiguration>(): Values {
  const { configs } = useShell("useConfig");
  const section = useContext(SectionContext) ?? "";
  // The gateway deploys a section only if the table has the values that its release lists.
  return ((Object.hasOwn(configs, section) ? configs[section] : undefined) ?? NO_CONFIG) as Values;
}

/**
 * Returns a function that opens a dialog with the given params: a module that a section exposes, such as `news/newsletter`. `page` is
 * the path of a page that opens instead if no live section exposes the dialog. For a button or a link, use {@link DialogForm} or
 * {@link DialogLink}, which also work without JavaScript.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { useDialog } from "@colonnade/kit";
 *
 * export function Offer() {
 *   const open = useDialog("news/newsletter");
 *   return <button type="button" onClick={() => open({ from: "offer" })}>Subscribe</button>;
 * }
 * ```
 */
export function useDialog(dialog: string, page?: string): (params?: DialogParams) => void {
  const { openDialog } = useShell("useDialog");
  return (params = {}) => {
    openDialog(dialog, params, page);
  };
}

/**
 * Returns what loads modules that other sections expose, for `@colonnade/kit/remotes`: use its `Remote` and `useLoadRemote`.
 * Undefined on the server.
 *
 * @throws Error outside the shell.
 * @internal
 */
export function useRemotes(): Remotes | undefined {
  return useShell("useRemotes").remotes;
}

/**
 * Returns what shows extensions, for `@colonnade/kit/extensions`: use its `ExtensionPoint`.
 *
 * @throws Error outside the shell.
 * @internal
 */
export function useExtensions(): ShellServices {
  return useShell("ExtensionPoint");
}

/**
 * Returns the decoded values of the current page's `:param` segments, by name. Empty outside the shell.
 *
 * @example
 * ```tsx
 * import { useParams } from "@colonnade/kit";
 *
 * export const Id = () => <b>{useParams().id}</b>;
 * ```
 */
export function useParams(): Readonly<Record<string, string>> {
  return usePage().params;
}

/**
 * Returns pattern, params and query parameters of the current page, for `@colonnade/kit/search` and `@colonnade/kit/analytics`: use
 * their `useSearch` and `usePageView`.
 *
 * @internal
 */
export function usePage(): PageServices {
  return useContext(PageContext);
}
