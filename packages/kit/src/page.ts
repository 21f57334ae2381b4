import type { FunctionComponent } from "react";

import { browserOnly } from "./browserOnly.js";
import type { AnyExtensionPoint } from "./extension.js";
import type { NotFound } from "./notFound.js";
import type { ExampleResults, NoQueries, Queries, QueryResults } from "./queries.js";
import type { Redirect } from "./redirect.js";
import type { Site } from "./site.js";

/** The query parameters that a page declares, as `defineSearch` of `@colonnade/kit/search` returns them. */
export interface Search<Values extends object = object> {
  /** The names of the parameters. */
  readonly names: readonly string[];
  /** Reads the values of the query of a URL. Resolves to `notFound()` if there is no page with it. */
  read(url: string): Promise<Values | NotFound>;
}

/** Values of the query parameters that a page declares, by name, if it declares any. */
export type WithSearch<SearchValues extends object> = [keyof SearchValues] extends [never]
  ? unknown
  : { readonly search: SearchValues };

/** Argument of a page's `queries`. */
export type QueriesContext<SearchValues extends object = object> = {
  /** Decoded values of the pattern's `:param` segments, by name. */
  readonly params: Readonly<Record<string, string>>;
  /** What the operator's configuration says about the site, and today's date. */
  readonly site: Site;
} & WithSearch<SearchValues>;

/** Argument of a page's `data`: `params`, `search`, `site` and, if the page has `queries`, their `results` by name. */
export type DataContext<
  Q extends Queries = NoQueries,
  SearchValues extends object = object,
> = QueriesContext<SearchValues> & ([Q[keyof Q]] extends [never] ? unknown : { readonly results: QueryResults<Q> });

/** The result of a form post without JavaScript. The page that contains the form shows it. */
export interface FormResult {
  /** What happened, for the page's code. Whoever received the form defines the codes. */
  readonly code?: string;
  /** Message for the visitor. */
  readonly message: string;
  /** What the visitor typed, by the name of the field. Passwords are never returned. */
  readonly values: Readonly<Record<string, string>>;
}

/** One step of a breadcrumb trail. */
export interface Breadcrumb {
  /** The page's name. */
  readonly label: string;
  /** Path on this site, percent-encoded. */
  readonly path: string;
}

/** Open Graph tags, used in link previews. `og:site_name` is the brand of the site. */
export interface Social {
  /** `og:title`. */
  readonly title: string;
  /** `og:description`. */
  readonly description: string;
  /** `og:type`. */
  readonly type: "website" | "article";
  /** `og:url`: path on this site, percent-encoded. The site's origin is prepended. */
  readonly url: string;
}

/** A page in another language, or in its own. */
export interface Alternate {
  /** Language, a BCP 47 tag such as `de` or `pt-BR`, or `x-default`: the page for visitors of every other language. */
  readonly language: string;
  /** Path on this site, percent-encoded. The site's origin is prepended. */
  readonly path: string;
}

/** A page's document head, as data. The gateway and the shell render it. */
export interface Head {
  /** Content of the `title` element. */
  readonly title: string;
  /** Content of the `description` meta tag. */
  readonly description: string;
  /** Canonical path on this site, percent-encoded, with those of the page's query parameters that matter. The site's origin is prepended. */
  readonly canonical: string;
  /** Content of the `robots` meta tag, such as `noindex,nofollow`. If absent, the page may be indexed. */
  readonly robots?: string;
  /** Content of the `keywords` meta tag. If absent, the tag is omitted. */
  readonly keywords?: string;
  /** Language of the page, a BCP 47 tag. Default: the site's. */
  readonly language?: string;
  /** The page in each of its languages, its own included: `hreflang` links, for search engines. If absent, they are omitted. */
  readonly alternates?: readonly Alternate[];
  /** Open Graph tags. If absent, they are omitted. */
  readonly social?: Social;
  /** Breadcrumb trail from the home page to this page, which comes last. */
  readonly breadcrumbs?: readonly Breadcrumb[];
}

/**
 * How the shell draws the frame around a page. The shell defines the options; its package declares them, as in `Facts`. All are
 * optional: the shell has defaults.
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- Shells add options to it.
export interface Layout {}

/** Props of a page's component. */
export interface PageProps<Data> {
  /** The value that the page's `data` returned. */
  readonly data: Data;
  /** Present only in the response to a form post. */
  readonly form?: FormResult;
}

/**
 * One kind of page.
 *
 * All members also run on the server, except for the component of a page that is `browserOnly`. During `queries`, `data`, `head`,
 * `layout` and rendering, do not use window, timers, fetch, the clock, randomness or locale-dependent formatting. Today's date
 * is `site.today`.
 */
export type Page<Data, Q extends Queries = NoQueries, SearchValues extends object = object> = PageMembers<
  Data,
  Q,
  SearchValues
> &
  PageContent<Data>;

/** The members of a page besides its content. */
export interface PageMembers<Data, Q extends Queries = NoQueries, SearchValues extends object = object> {
  /**
   * The query parameters that the page depends on, by `defineSearch` of `@colonnade/kit/search`. All others are ignored: the
   * document is the same with and without them. Declare it before `queries` and `data`.
   */
  readonly search?: Search<SearchValues>;
  /**
   * Returns what to request from the site's upstreams before `data` runs: at most eight paths below `/api/`, by name. A path
   * that comes with a schema is created by `query()`. The same params and search must give the same paths. Declare it before `data`,
   * whose `results` get their types from it.
   */
  queries?(context: QueriesContext<SearchValues>): Q;
  /**
   * Returns the page's data, which must be serializable to JSON, `notFound()` if the params identify nothing, or
   * `redirect()`. The data comes from the results of `queries` and from the section's own modules (dynamic imports are
   * allowed), never from a request of its own.
   */
  data(context: DataContext<Q, SearchValues>): PageData<Data> | Promise<PageData<Data>>;
  /**
   * Returns paths of this page, percent-encoded: all of them or a few examples. One can have a query, which `search` declares. They
   * go into the sitemap, and the build and the gateway test the page with them. All pages of a section together return at most 5,000.
   * The build removes `paths` from the modules of a release.
   */
  paths?(): readonly string[];
  /**
   * Returns at most 20 paths, each with results of the queries. The build, tests and the gateway's trial render run the page with
   * them, so that code with data runs before a visitor opens the page. Releases for browsers do not contain them.
   */
  examples?(): readonly PageExample<NoInfer<Q>>[];
  /** There is a page for every value of the params, so `data` need not return `notFound()` for any. Default: false. */
  readonly anyParams?: boolean;
  /** The extension points that the component shows, each once, by `<ExtensionPoint>` of `@colonnade/kit/extensions`. */
  readonly extensionPoints?: readonly AnyExtensionPoint[];
  /** Returns the page's document head. */
  head(context: PageProps<Data> & { readonly site: Site } & WithSearch<SearchValues>): Head;
  /** Returns how the shell draws the frame around the page. */
  layout?(context: { readonly data: Data }): Layout;
}

/** The content of a page. */
export type PageContent<Data> =
  | {
      /** The server renders the component, too. */
      readonly browserOnly?: false;
      /** Only for a page that is `browserOnly`. */
      readonly fallback?: never;
      /** Renders the content between header and footer, with one `h1`. */
      readonly Component: FunctionComponent<PageProps<Data>>;
    }
  | {
      /** Only browsers render the component. Until the page is hydrated, and without JavaScript, its `fallback` is shown. */
      readonly browserOnly: true;
      /** Renders the content until the component replaces it, with one `h1`. The server renders it. */
      readonly fallback: FunctionComponent<PageProps<Data>>;
      /** Renders the content in the browser. It may use everything that browsers have. */
      readonly Component: FunctionComponent<PageProps<Data>>;
    };

/** A path of a page with results of its queries, to check the page with. */
export interface PageExample<Q extends Queries = Queries> {
  /** Percent-encoded. */
  readonly path: string;
  /** A result of each query. Absent for a page without queries. */
  readonly results?: ExampleResults<Q>;
}

/** What a page's `data` returns. */
export type PageData<Data> = Data | NotFound | Redirect;

/** Argument of the `queries` of any page. */
export type AnyContext = QueriesContext & { readonly search?: object };

/**
 * A page with an unknown data type. Pass only the result of its own `data` to its `head`, `layout` and `Component`, and only
 * the results of its own `queries` to its `data`.
 */
export type AnyPage = Omit<PageMembers<never>, "search" | "queries" | "data" | "examples" | "head"> &
  PageContent<never> & {
    readonly search?: Search;
    examples?(): readonly PageExample[];
    queries?(context: AnyContext): Queries;
    data(context: AnyContext & { readonly results?: QueryResults }): unknown;
    head(context: PageProps<never> & { readonly search: never; readonly site: Site }): Head;
  };

/**
 * Declares a page. The data type is inferred from `data`, and that of its `results` from `queries`. Returns its argument; the
 * component of a page that is `browserOnly` renders the `fallback` until the page is hydrated.
 *
 * @example
 * ```tsx
 * import { definePage, notFound } from "@colonnade/kit";
 *
 * export const page = definePage({
 *   queries: ({ params }) => ({ event: `/api/events/${encodeURIComponent(params.id ?? "")}` }),
 *   data: ({ results: { event } }) => (event.ok ? (event.value as { title: string }) : notFound("Event not found")),
 *   head: ({ data, site }) => ({ title: `${data.title} - ${site.brand}`, description: data.title, canonical: "/events/7" }),
 *   Component: ({ data }) => <h1>{data.title}</h1>,
 * });
 * ```
 */
export function definePage<Data, Q extends Queries = NoQueries, SearchValues extends object = object>(
  page: Page<Data, Q, SearchValues>,
): Page<Data, Q, SearchValues> {
  return page.browserOnly ? { ...page, Component: browserOnly(page.Component, page.fallback) } : page;
}
