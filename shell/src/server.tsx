// The gateway calls `render` in its sandbox, which has no DOM, clock or network.
import type { Section, SiteFacts } from "@colonnade/kit";
import { loadPage, renderToHtml, type LoadedPage } from "@colonnade/kit/server";
import type { Boot, RenderRequest, RenderResult, SectionEntry } from "@colonnade/kit/shell";
import { StaticRouter } from "react-router-dom";

import { App, type AppProps } from "./App";
import { noindexHead } from "./head";
import type { View } from "./loading/viewLoader";

// How React marks the boundary around the whole page if it shows its fallback: the loading indicator.
const PAGE_IS_SUSPENDED = /<main\b[^>]*><!--\$!-->/;

// Effects and event handlers do not run on the server.
const unavailable = (): never => {
  throw new Error("not available during a server render");
};

function appProps(site: SiteFacts, view: View): AppProps {
  return {
    boot: { site } as Boot,
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
    join: null,
    search: null,
  };
}

type WithoutView = Extract<LoadedPage, { readonly kind: "queries" | "redirect" }>;

/** A view, and the names of the results that do not fit their schema. */
type ServerView = View & { readonly invalid: readonly string[] };

async function loadView(
  section: Section | null,
  { page, ...request }: RenderRequest,
  site: SiteFacts,
): Promise<ServerView | WithoutView> {
  if (!page) return { kind: "notFound", heading: "Page not found", invalid: [] };
  if (!section) throw new Error(`the server module of the section "${page.section}" does not export a section`);
  const loaded = await loadPage(section, { ...request, page }, site);
  return loaded.kind === "page"
    ? { ...loaded, section: { name: page.section } as SectionEntry, pattern: page.pattern, assets: [] }
    : loaded;
}

/**
 * Renders a page with the shell around it. `section` is null if no page matches the path. If the page has queries and the
 * request has no results, only returns the queries.
 */
export async function render(section: Section | null, request: RenderRequest): Promise<RenderResult> {
  let readsToday = false;
  const { today, ...facts } = request.site;
  const site = Object.defineProperty(facts, "today", {
    enumerable: true,
    get() {
      readsToday = true;
      return today;
    },
  }) as SiteFacts;
  const view = await loadView(section, request, site);
  if (view.kind === "queries") return { queries: view.queries, readsToday };
  const invalid = view.invalid.length > 0 && { invalid: view.invalid };
  if (view.kind === "redirect") return { status: 307, location: view.path, readsToday, ...invalid };
  const { html, isSuspended } = await renderToHtml(
    <StaticRouter location={request.path}>
      <App {...appProps(site, view)} />
    </StaticRouter>,
  );
  if (isSuspended && PAGE_IS_SUSPENDED.test(html))
    throw new Error("the page suspended outside of its own Suspense boundaries; wrap what suspends in <Suspense>");
  if (view.kind === "page") {
    const { head, layout, props } = view;
    return { status: 200, head, view: { kind: "page", data: props.data, head, layout }, html, readsToday, ...invalid };
  }
  const heading = view.kind === "notFound" ? view.heading : "";
  return {
    status: 404,
    head: noindexHead(`${heading} - ${site.brand}`),
    view: { kind: "notFound", heading },
    html,
    readsToday,
    ...invalid,
  };
}
