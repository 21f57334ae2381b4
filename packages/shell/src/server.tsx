// The gateway calls `render` in its sandbox, which has no DOM, clock or network.
import type { NotFound, Section, Site } from "@colonnade/kit";
import { loadExtension, loadPage, renderToHtml, type LoadedPage } from "@colonnade/kit/server";
import {
  identifierPrefix,
  ShellContext,
  type AnyExtensionPoint,
  type Boot,
  type ExtensionRequest,
  type ExtensionResult,
  type RenderRequest,
  type RenderResult,
  type SectionEntry,
} from "@colonnade/kit/shell";
import { StaticRouter } from "react-router-dom";

import { App, type AppProps } from "./App.js";
import { ExtensionContent, NoPlace } from "./extensions/ExtensionContent.js";
import { ExtensionPlaces } from "./extensions/extensionPlaces.js";
import { noindexHead, titleOf } from "./head.js";
import type { View } from "./loading/view.js";
import type { ShellParts } from "./parts.js";

// How React marks the boundary around the whole page if it shows its fallback: the loading indicator.
const PAGE_IS_SUSPENDED = /<main\b[^>]*><!--\$!-->/;

// Effects and event handlers do not run on the server.
const unavailable = (): never => {
  throw new Error("not available during a server render");
};

function appProps(
  parts: ShellParts,
  boot: Pick<Boot, "site" | "configs">,
  view: View,
): Omit<AppProps, "ExtensionPlace"> {
  return {
    parts,
    boot: boot as Boot,
    views: {
      load: () => Promise.resolve(view),
      serverView: () => view,
      awaitsHydration: unavailable,
      prefetch: unavailable,
      invalidate: unavailable,
      setCurrent: unavailable,
    },
    deployment: { status: unavailable, reload: unavailable, report: unavailable },
    scroll: { setEntry: unavailable, restore: unavailable, restoreAfterHydration: unavailable },
    transitions: { isCurrent: () => true, prepare: unavailable, complete: unavailable, isPending: false },
    serverHtml: null,
  };
}

function configsOf({ page, config }: RenderRequest): Boot["configs"] {
  return page && config ? { [page.section]: config } : {};
}

type WithoutView = Extract<LoadedPage, { readonly kind: "queries" | "redirect" }>;

/** A view, and the names of the results that do not fit their schema. */
type ServerView = View & {
  readonly invalid: readonly string[];
  readonly extensionPoints?: readonly AnyExtensionPoint[];
  readonly searchNames?: readonly string[];
};

async function loadView(
  section: Section | null,
  { page, ...request }: RenderRequest,
  site: Site,
): Promise<ServerView | WithoutView> {
  if (!page) return { kind: "notFound", invalid: [] };
  if (!section) throw new Error(`the server module of the section "${page.section}" does not export a section`);
  const loaded = await loadPage(section, { ...request, page }, site);
  if (loaded.kind !== "page") return loaded;
  const entry = { name: page.section } as SectionEntry;
  return { ...loaded, section: entry, pattern: page.pattern, assets: [] };
}

/** The values of a site, and whether today's date was read. */
interface WatchedSite {
  readonly site: Site;
  readonly readsToday: boolean;
}

function watchSite({ today, ...values }: Site): WatchedSite {
  let readsToday = false;
  const site = Object.defineProperty(values, "today", {
    enumerable: true,
    get() {
      readsToday = true;
      return today;
    },
  }) as Site;
  return {
    site,
    get readsToday() {
      return readsToday;
    },
  };
}

function invalidOf({ invalid }: { readonly invalid: readonly string[] }): { readonly invalid?: readonly string[] } {
  return invalid.length > 0 ? { invalid } : {};
}

/** What the section says if there is nothing at the path. */
function messageOf({ heading, text, link }: Partial<NotFound>): Partial<NotFound> {
  return {
    ...(heading !== undefined && { heading }),
    ...(text !== undefined && { text }),
    ...(link && { link }),
  };
}

async function render(parts: ShellParts, section: Section | null, request: RenderRequest): Promise<RenderResult> {
  const watched = watchSite(request.site);
  const { site } = watched;
  const view = await loadView(section, request, site);
  if (view.kind === "queries") return { queries: view.queries, readsToday: watched.readsToday };
  if (view.kind === "redirect")
    return { status: 307, location: view.path, readsToday: watched.readsToday, ...invalidOf(view) };
  const places = new ExtensionPlaces([...(parts.extensionPoints ?? []), ...(view.extensionPoints ?? [])]);
  const { html, isSuspended } = await renderToHtml(
    <StaticRouter location={request.path}>
      <App {...appProps(parts, { site, configs: configsOf(request) }, view)} ExtensionPlace={places.Place} />
    </StaticRouter>,
  );
  if (isSuspended && PAGE_IS_SUSPENDED.test(html))
    throw new Error("the page suspended outside of its own Suspense boundaries; wrap what suspends in <Suspense>");
  const names = view.searchNames && { search: view.searchNames };
  const common = { html, ...names, ...places.in(html), readsToday: watched.readsToday, ...invalidOf(view) };
  if (view.kind === "page") {
    const { head, layout, props } = view;
    return {
      status: 200,
      head,
      view: { kind: "page", data: props.data, head, layout, search: view.search },
      ...common,
    };
  }
  return {
    status: 404,
    head: noindexHead(titleOf(parts, view, site)),
    view: { kind: "notFound", ...(view.kind === "notFound" && messageOf(view)) },
    ...common,
  };
}

// How React marks the boundary around the whole extension if it shows its fallback. Preloads of images come first.
const EXTENSION_IS_SUSPENDED = /^(<link [^>]*>)*<!--\$!-->/;

async function renderExtension(section: Section | null, request: ExtensionRequest): Promise<ExtensionResult> {
  const { section: name, point } = request.extension;
  if (!section) throw new Error(`the server module of the section "${name}" does not export a section`);
  const watched = watchSite(request.site);
  const { site } = watched;
  const loaded = await loadExtension(section, request, site);
  if (loaded.kind === "queries") return { queries: loaded.queries, readsToday: watched.readsToday };
  const { props, Component } = loaded;
  if (!props) return { extension: null, readsToday: watched.readsToday, ...invalidOf(loaded) };
  const configs = request.config ? { [name]: request.config } : {};
  const { html, isSuspended } = await renderToHtml(
    // The pages that pass the same props share the HTML, so it has the path of none.
    <StaticRouter location="/">
      <ShellContext value={{ site, configs, openDialog: unavailable, ExtensionPlace: NoPlace }}>
        <ExtensionContent section={name} Component={Component} props={props} />
      </ShellContext>
    </StaticRouter>,
    identifierPrefix(point, name),
  );
  if (isSuspended && EXTENSION_IS_SUSPENDED.test(html))
    throw new Error("the extension suspended outside of its own Suspense boundaries; wrap what suspends in <Suspense>");
  return { extension: { html, data: props.data }, readsToday: watched.readsToday, ...invalidOf(loaded) };
}

/** The `render` of a shell. `section` is null if no page matches the path. */
export interface Render {
  (section: Section | null, request: RenderRequest): Promise<RenderResult>;
  (section: Section | null, request: ExtensionRequest): Promise<ExtensionResult>;
}

/**
 * Returns the `render` of a shell, which its server module exports. It renders a page with the shell around it, or an extension.
 * If that has queries and the request has no results, it only returns the queries.
 */
export function createRender(parts: ShellParts): Render {
  return ((section: Section | null, request: RenderRequest | ExtensionRequest) =>
    "extension" in request ? renderExtension(section, request) : render(parts, section, request)) as Render;
}
