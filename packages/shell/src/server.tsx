// The gateway calls `render` in its sandbox, which has no DOM, clock or network.
import type { Section, Site } from "@colonnade/kit";
import { loadPage, renderToHtml, type LoadedPage } from "@colonnade/kit/server";
import type { Boot, RenderRequest, RenderResult, SectionEntry } from "@colonnade/kit/shell";
import { StaticRouter } from "react-router-dom";

import { App, type AppProps } from "./App.js";
import { noindexHead, titleOf } from "./head.js";
import type { View } from "./loading/viewLoader.js";
import type { ShellParts } from "./parts.js";

// How React marks the boundary around the whole page if it shows its fallback: the loading indicator.
const PAGE_IS_SUSPENDED = /<main\b[^>]*><!--\$!-->/;

// Effects and event handlers do not run on the server.
const unavailable = (): never => {
  throw new Error("not available during a server render");
};

function appProps(parts: ShellParts, boot: Pick<Boot, "site" | "configs">, view: View): AppProps {
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
    slots: null,
  };
}

function configsOf({ page, config }: RenderRequest): NonNullable<Boot["configs"]> {
  return page && config ? { [page.section]: config } : {};
}

type WithoutView = Extract<LoadedPage, { readonly kind: "queries" | "redirect" }>;

/** A view, and the names of the results that do not fit their schema. */
type ServerView = View & { readonly invalid: readonly string[] };

async function loadView(
  section: Section | null,
  { page, ...request }: RenderRequest,
  site: Site,
): Promise<ServerView | WithoutView> {
  if (!page) return { kind: "notFound", invalid: [] };
  if (!section) throw new Error(`the server module of the section "${page.section}" does not export a section`);
  const loaded = await loadPage(section, { ...request, page }, site);
  return loaded.kind === "page"
    ? { ...loaded, section: { name: page.section } as SectionEntry, pattern: page.pattern, assets: [] }
    : loaded;
}

async function render(parts: ShellParts, section: Section | null, request: RenderRequest): Promise<RenderResult> {
  let readsToday = false;
  const { today, ...facts } = request.site;
  const site = Object.defineProperty(facts, "today", {
    enumerable: true,
    get() {
      readsToday = true;
      return today;
    },
  }) as Site;
  const view = await loadView(section, request, site);
  if (view.kind === "queries") return { queries: view.queries, readsToday };
  const invalid = view.invalid.length > 0 && { invalid: view.invalid };
  if (view.kind === "redirect") return { status: 307, location: view.path, readsToday, ...invalid };
  const { html, isSuspended } = await renderToHtml(
    <StaticRouter location={request.path}>
      <App {...appProps(parts, { site, configs: configsOf(request) }, view)} />
    </StaticRouter>,
  );
  if (isSuspended && PAGE_IS_SUSPENDED.test(html))
    throw new Error("the page suspended outside of its own Suspense boundaries; wrap what suspends in <Suspense>");
  if (view.kind === "page") {
    const { head, layout, props } = view;
    return { status: 200, head, view: { kind: "page", data: props.data, head, layout }, html, readsToday, ...invalid };
  }
  return {
    status: 404,
    head: noindexHead(titleOf(parts, view, site)),
    view: {
      kind: "notFound",
      ...(view.kind === "notFound" && view.heading !== undefined && { heading: view.heading }),
    },
    html,
    readsToday,
    ...invalid,
  };
}

/**
 * Returns the `render` of a shell, which its server module exports. It renders a page with the shell around it. `section` is
 * null if no page matches the path. If the page has queries and the request has no results, it only returns the queries.
 */
export function createRender(
  parts: ShellParts,
): (section: Section | null, request: RenderRequest) => Promise<RenderResult> {
  return (section, request) => render(parts, section, request);
}
