// What the gateway calls to render a page. Everything here is pure: it runs without a browser, clock or network.
import {
  DEFAULT_LAYOUT,
  isNotFound,
  matchPath,
  type FormAnswer,
  type Head,
  type Section,
  type SiteFacts,
} from "@colonnade/kit";
import type { Boot, RenderedView, SectionEntry } from "@colonnade/kit/shell";
import { renderToString } from "react-dom/server";
import { StaticRouter } from "react-router-dom";

import { Site, type AppProps } from "./App";
import { plainHead } from "./head";
import type { View } from "./loading/view";
import { findForeign } from "./plain";

/** What is to be rendered. */
export interface RenderRequest {
  /** Percent-encoded, without a query: a render sees none. */
  readonly path: string;
  /** The page's section and pattern; null on a path that no page matches. */
  readonly page: { readonly section: string; readonly pattern: string } | null;
  readonly site: SiteFacts;
  /** In the answer to a form post. */
  readonly form?: FormAnswer;
}

/** A page, rendered. */
export interface Rendered {
  readonly status: 200 | 404;
  readonly head: Head | { readonly title: string; readonly robots: string };
  readonly view: RenderedView;
  /** What stands in the document's root. */
  readonly html: string;
  /** Whether anything asked for today's date: then it is good for the day alone. */
  readonly readsToday: boolean;
}

// A Suspense boundary that something threw in: React would leave it to the browser without a word.
const THREW = "<!--$!-->";

// What a page does once it is in a browser does not happen here.
const never = (): never => {
  throw new Error("nothing but rendering happens on the server");
};

function appOf(site: SiteFacts, view: View): AppProps {
  return {
    boot: { site } as Boot,
    views: {
      view: () => Promise.resolve(view),
      rendered: () => view,
      awaits: never,
      prefetch: never,
      retry: never,
      shows: never,
    },
    tab: { standing: never, renew: never, report: never },
    scroll: { follow: never, restore: never, settle: never },
    transitions: { shows: () => true, prepare: never, arrived: never, waits: false },
    html: null,
    join: null,
  };
}

async function viewOf(section: Section | null, { path, page, form }: RenderRequest, site: SiteFacts): Promise<View> {
  if (!page) return { kind: "notFound", heading: "Page not found" };
  if (!section) throw new Error(`the server module of the section "${page.section}" exports no section`);
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

/** @throws Error where the browser, which has the data as JSON, would draw something else than what is drawn here. */
function checkData({ section, pattern }: NonNullable<RenderRequest["page"]>, path: string, data: unknown): void {
  const foreign = data === undefined ? null : findForeign(data);
  if (foreign === null) return;
  throw new Error(
    `the data of the page "${pattern}" of the section "${section}" does not survive JSON at ${path}: data${foreign}; ` +
      "expected text, finite numbers, true, false, null, and lists and plain objects of these",
  );
}

/** Renders the page at a path, in the shell. `section` is what the section's module exports, or null where no page matches. */
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
  const view = await viewOf(section, request, site);
  const html = renderToString(
    <StaticRouter location={request.path}>
      <Site {...appOf(site, view)} />
    </StaticRouter>,
  );
  if (html.includes(THREW)) throw new Error(`the page at ${request.path} threw while it was rendered`);
  if (view.kind === "page") {
    const { head, layout, props } = view;
    return { status: 200, head, view: { kind: "page", data: props.data, head, layout }, html, readsToday };
  }
  const heading = view.kind === "notFound" ? view.heading : "";
  return {
    status: 404,
    head: plainHead(`${heading} - ${site.brand}`),
    view: { kind: "notFound", heading },
    html,
    readsToday,
  };
}
