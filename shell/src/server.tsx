// The gateway calls `render` in its sandbox, which has no DOM, clock or network.
import {
  DEFAULT_LAYOUT,
  isNotFound,
  matchPath,
  type FormResult,
  type Head,
  type Section,
  type SiteFacts,
} from "@colonnade/kit";
import type { Boot, RenderedView, SectionEntry } from "@colonnade/kit/shell";
import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router-dom";

import { App, type AppProps } from "./App";
import { noindexHead } from "./head";
import { findNonJson } from "./jsonCheck";
import type { View } from "./loading/viewLoader";

/** Which page to render. */
export interface RenderRequest {
  /** Percent-encoded, without the query. */
  readonly path: string;
  /** The page's section and pattern. Null if no page matches the path. */
  readonly page: { readonly section: string; readonly pattern: string } | null;
  readonly site: SiteFacts;
  /** The result of a form post, in its response. */
  readonly form?: FormResult;
}

/** A rendered page. */
export interface Rendered {
  readonly status: 200 | 404;
  readonly head: Head | { readonly title: string; readonly robots: string };
  readonly view: RenderedView;
  /** Content of the document's root element. */
  readonly html: string;
  /** Whether the page read today's date. It is then cached for that day only. */
  readonly readsToday: boolean;
}

// How React marks a Suspense boundary that threw. React itself leaves such a boundary to the browser, without an error.
const FAILED_BOUNDARY = "<!--$!-->";

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
      retry: unavailable,
      setCurrent: unavailable,
    },
    deployment: { status: unavailable, reload: unavailable, report: unavailable },
    scroll: { setEntry: unavailable, restore: unavailable, restoreAfterHydration: unavailable },
    transitions: { isCurrent: () => true, prepare: unavailable, complete: unavailable, isPending: false },
    serverHtml: null,
    join: null,
  };
}

async function loadView(section: Section | null, { path, page, form }: RenderRequest, site: SiteFacts): Promise<View> {
  if (!page) return { kind: "notFound", heading: "Page not found" };
  if (!section) throw new Error(`the server module of the section "${page.section}" does not export a section`);
  const load = section.pages[page.pattern];
  const params = matchPath(page.pattern, path);
  if (!load || !params) throw new Error(`the section "${page.section}" has no page "${page.pattern}" for ${path}`);
  const { page: code } = await load();
  const data = (await code.data({ params, site })) as never;
  if (isNotFound(data)) return { kind: "notFound", heading: (data as { heading: string }).heading };
  checkData(page, path, data);
  return {
    kind: "page",
    section: { name: page.section } as SectionEntry,
    layout: { ...DEFAULT_LAYOUT, ...code.layout?.({ data }) },
    head: code.head({ data, site }),
    params,
    Component: code.Component,
    props: { data, ...(form && { form }) },
  };
}

/** @throws Error if JSON would change the data: the browser hydrates from JSON and would render something else. */
function checkData({ section, pattern }: NonNullable<RenderRequest["page"]>, path: string, data: unknown): void {
  const found = data === undefined ? null : findNonJson(data);
  if (found === null) return;
  throw new Error(
    `the data of the page "${pattern}" of the section "${section}" does not survive JSON at ${path}: data${found}; ` +
      "expected strings, finite numbers, booleans, null, and arrays and plain objects of these",
  );
}

/** Renders a page with the shell around it. `section` is null if no page matches the path. */
export async function render(section: Section | null, request: RenderRequest): Promise<Rendered> {
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
  const html = renderToString(
    <StaticRouter location={request.path}>
      <App {...appProps(site, view)} />
    </StaticRouter>,
  );
  if (html.includes(FAILED_BOUNDARY)) throw new Error(`the page at ${request.path} threw while rendering`);
  if (view.kind === "page") {
    const { head, layout, props } = view;
    return { status: 200, head, view: { kind: "page", data: props.data, head, layout }, html, readsToday };
  }
  const heading = view.kind === "notFound" ? view.heading : "";
  return {
    status: 404,
    head: noindexHead(`${heading} - ${site.brand}`),
    view: { kind: "notFound", heading },
    html,
    readsToday,
  };
}
