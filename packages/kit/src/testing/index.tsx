/**
 * Test helpers that render a section's pages and extensions without a shell.
 *
 * `@testing-library/react` is an optional peer dependency: install it in the section's package.
 *
 * @module testing
 */
import { render, type RenderResult } from "@testing-library/react";
import { createElement, type ComponentType, type ReactElement, type ReactNode } from "react";
import { MemoryRouter } from "react-router-dom";

import { PageContext, SectionContext, ShellContext } from "../context.js";
import type { DialogParams } from "../dialog.js";
import type { AnyExtension } from "../extension.js";
import { ExtensionPlaceElement, POINT_ATTRIBUTE, type ExtensionPlaceProps } from "../extensionPlace.js";
import { isNotFound, type NotFound } from "../notFound.js";
import type { AnyPage, FormResult, Head, Layout } from "../page.js";
import { comparePatterns, matchPath, type Params } from "../paths.js";
import { loadResults, type Queries, type QueryResult, type QueryResults } from "../queries.js";
import { isRedirect } from "../redirect.js";
import type { RemoteLoader, Remotes, RemoteViewProps } from "../remoteLoader.js";
import type { Section } from "../section.js";
import type { SectionConfiguration, Site } from "../site.js";

/** A site for tests, without facts and integrations. */
export const TEST_SITE: Site = {
  brand: "Test Site",
  origin: "https://site.example",
  contact: "contact@site.example",
  language: "en",
  logsClientIp: false,
  navigation: { menu: [{ label: "Home", path: "/" }], footer: [{ label: "Terms", path: "/terms" }] },
  facts: {},
  integrations: {},
  today: "2026-01-31",
};

/** Options of the test helpers. */
export interface RenderOptions {
  /** Overrides of {@link TEST_SITE}. */
  readonly site?: Partial<Site>;
  /** Result of a form post, passed to the page as `form`. */
  readonly form?: FormResult;
  /**
   * Results of the queries of the page or extension, by name. They are validated by schema. A missing one is that of the example with
   * this path or these props, or else a failure with status 503; one that no query has asked for is an error.
   */
  readonly results?: Readonly<Record<string, QueryResult>>;
  /** The section's configuration. Default: empty. */
  readonly config?: SectionConfiguration;
  /**
   * Modules that other sections expose, by `section/Name`, such as `{ "catalog/PriceTag": { default: PriceTag } }`. Another one is
   * not live: `<Remote>` shows its fallback.
   */
  readonly remotes?: Readonly<Record<string, object>>;
  /**
   * What extension points show, by their reference, such as `{ "directory/city-aside@1": <p>Events</p> }`. Another one shows its
   * `empty`.
   */
  readonly extensions?: Readonly<Record<string, ReactNode>>;
  /** Called when the section opens a dialog by `useDialog`. */
  readonly onDialog?: (dialog: string, params: DialogParams) => void;
}

/** A rendered extension: the result of Testing Library's `render`, with the extension's data. */
export interface RenderedExtension extends RenderResult {
  /** The result of the extension's `data`. Undefined without it. */
  readonly data: unknown;
}

/** A rendered page: the result of Testing Library's `render`, with the page's data, head and layout. */
export interface RenderedPage extends RenderResult {
  /** The result of the page's `data`. Undefined without it. */
  readonly data: unknown;
  /** The result of the page's `head`. */
  readonly head: Head;
  /** The page's `layout`, or the default. */
  readonly layout: Layout;
}

function siteOf(options: RenderOptions): Site {
  return { ...TEST_SITE, ...options.site };
}

function remotesOf({ remotes = {} }: RenderOptions): Remotes {
  const views = new Map<string, Promise<ComponentType<RemoteViewProps>>>();
  const loaded: RemoteLoader = {
    load: (id) => {
      const module = remotes[id];
      return module ? Promise.resolve(module) : Promise.reject(new Error(`the test has no remote "${id}"`));
    },
    view: (id) => {
      const { default: shown } = (remotes[id] ?? {}) as { readonly default?: ComponentType };
      const View = ({ fallback, props }: RemoteViewProps): ReactNode =>
        shown ? createElement(shown, props) : fallback;
      // The same promise for each call, as in the shell.
      const view = views.get(id) ?? Promise.resolve(View);
      views.set(id, view);
      return view;
    },
  };
  return { loaded, start: () => Promise.resolve(loaded) };
}

function placesOf({ extensions = {} }: RenderOptions, listed?: readonly string[]): ComponentType<ExtensionPlaceProps> {
  return ({ reference, empty }) => {
    if (listed && !listed.includes(reference))
      throw new Error(`the extension point "${reference}" is not among the extensionPoints of its page`);
    const shown = Object.hasOwn(extensions, reference) ? extensions[reference] : undefined;
    if (shown === undefined) return <ExtensionPlaceElement reference={reference} empty={empty} />;
    return <div {...{ [POINT_ATTRIBUTE]: reference }}>{shown}</div>;
  };
}

interface Place {
  readonly section: string;
  readonly path: string;
  readonly pattern?: string;
  readonly params: Params;
  /** Values of the page's query parameters. Absent if it declares none. */
  readonly search?: object | undefined;
  /** The references of the extension points that it may show. Absent: all. */
  readonly points?: readonly string[];
}

function inShellContexts(children: ReactNode, place: Place, options: RenderOptions): ReactElement {
  const { section, path, points, ...page } = place;
  const services = {
    site: siteOf(options),
    configs: { [section]: options.config ?? {} },
    openDialog: (dialog: string, params: DialogParams) => options.onDialog?.(dialog, params),
    remotes: remotesOf(options),
    ExtensionPlace: placesOf(options, points),
  };
  return (
    <MemoryRouter initialEntries={[path]}>
      <ShellContext value={services}>
        <SectionContext value={section}>
          <PageContext value={page}>{children}</PageContext>
        </SectionContext>
      </ShellContext>
    </MemoryRouter>
  );
}

/**
 * Wraps a component in the shell's contexts, for tests that render a single component.
 *
 * @example
 * ```tsx
 * import { Link } from "@colonnade/kit";
 * import { inShell } from "@colonnade/kit/testing";
 * import { render } from "@testing-library/react";
 *
 * render(inShell(<Link to="/hello">Hello</Link>)).getByRole("link");
 * ```
 */
export function inShell(component: ReactNode, options: RenderOptions = {}): ReactElement {
  return inShellContexts(component, { section: "test", path: "/", params: {} }, options);
}

interface FoundPage {
  readonly page: AnyPage;
  readonly pattern: string;
  readonly params: Params;
  /** Values of the query parameters that the page declares, or that there is no page with these. */
  readonly search: object;
}

async function findPage(section: Section, target: string): Promise<FoundPage> {
  const [path = ""] = target.split("?");
  const patterns = Object.keys(section.pages).sort(comparePatterns);
  for (const pattern of patterns) {
    const params = matchPath(pattern, path);
    const load = section.pages[pattern];
    if (!params || !load) continue;
    const { page } = await load();
    return { page, pattern, params, search: (await page.search?.read(target)) ?? {} };
  }
  throw new Error(`the section "${section.name}" has no page for ${path}; its patterns are ${patterns.join(", ")}`);
}

/** @throws Error if an option has a name that its subject does not have, such as after a typo. */
function checkNames(option: object | undefined, names: readonly string[], what: readonly [string, string]): void {
  const [one, all] = what;
  const unknown = Object.keys(option ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Error(`${one} "${unknown}"; ${all} are ${names.join(", ") || "none"}`);
}

const UNAVAILABLE: QueryResult = { ok: false, status: 503 };

interface Example {
  readonly results?: RenderOptions["results"];
}

/** The results for queries of the page or the extension. `example` is that with the same path or props. */
async function resultsOf(
  subject: string,
  queries: Queries,
  { results }: RenderOptions,
  example: Example | undefined,
): Promise<QueryResults> {
  checkNames(results, Object.keys(queries), [`${subject} has no query`, "its queries"]);
  return loadResults(queries, (_, name) => results?.[name] ?? example?.results?.[name] ?? UNAVAILABLE);
}

async function dataOf({ page, params, search }: FoundPage, path: string, options: RenderOptions): Promise<unknown> {
  if (isNotFound(search)) return search;
  const context = { params, search, site: siteOf(options) };
  const example = page.examples?.().find((each) => each.path === path);
  const results = await resultsOf("the page", page.queries?.(context) ?? {}, options, example);
  return page.data({ ...context, results });
}

/**
 * Returns the data of the page at a path (percent-encoded, with or without a query), or the value of `notFound()` or `redirect()`.
 *
 * @throws Error if no pattern of the section matches the path, or if there is a result of a query that the page does not have.
 *
 * @example
 * ```tsx
 * import { isNotFound } from "@colonnade/kit";
 * import { loadData } from "@colonnade/kit/testing";
 *
 * import section from "./section";
 *
 * isNotFound(await loadData(section, "/hello/Klingon"));
 * ```
 */
export async function loadData(section: Section, path: string, options: RenderOptions = {}): Promise<unknown> {
  return dataOf(await findPage(section, path), path, options);
}

/**
 * Renders the page at a path (percent-encoded, with or without a query). If its data is `notFound()`, returns that value without rendering.
 *
 * @throws Error as {@link loadData}, if its data is `redirect()`: test that with {@link loadData}, and if `extensions` has a point
 *   that the page does not list, or the page shows one.
 *
 * @example
 * ```tsx
 * import { renderPage } from "@colonnade/kit/testing";
 *
 * import section from "./section";
 *
 * await renderPage(section, "/hello/Dutch", { site: { brand: "Example" } });
 * // With an extension of another section.
 * await renderPage(section, "/hello/Dutch", { extensions: { "hello/language-aside@1": <p>Lessons</p> } });
 * ```
 */
export async function renderPage(
  section: Section,
  path: string,
  options: RenderOptions = {},
): Promise<RenderedPage | NotFound> {
  const found = await findPage(section, path);
  const site = siteOf(options);
  const data = (await dataOf(found, path, options)) as never;
  const { page, pattern, params, search } = found;
  if (isNotFound(data)) return data;
  if (isRedirect(data)) throw new Error(`${path} redirects to ${(data as { path: string }).path}`);
  const { Component } = page;
  const props = { data, ...(options.form && { form: options.form }) };
  const points = (page.extensionPoints ?? []).map(({ reference }) => reference);
  checkNames(options.extensions, points, ["the page has no extension point", "its points"]);
  const view = render(
    inShellContexts(
      <Component {...props} />,
      { section: section.name, path, pattern, params, search: page.search && search, points },
      options,
    ),
  );
  return {
    ...view,
    data,
    head: page.head({ ...props, search: search as never, site }),
    layout: page.layout?.({ data }) ?? {},
  };
}

/**
 * Renders what the section contributes to an extension point, by the point's ID with its version, such as
 * `directory/city-aside@1`. `props` is what a page passes. If the extension's data is null, it shows nothing: returns null.
 *
 * @throws Error if the section does not fill the point, or if there is a result of a query that the extension does not have.
 *
 * @example
 * ```tsx
 * import { renderExtension } from "@colonnade/kit/testing";
 *
 * import section from "./section";
 *
 * const events = { ok: true, value: [{ title: "Kite festival" }] } as const;
 * const shown = await renderExtension(section, "directory/city-aside@1", { city: "Austin" }, { results: { events } });
 * shown?.getByText("Kite festival");
 * ```
 */
export async function renderExtension(
  section: Section,
  point: string,
  props: object,
  options: RenderOptions = {},
): Promise<RenderedExtension | null> {
  const load = section.extensions?.[point];
  if (!load) {
    const points = Object.keys(section.extensions ?? {}).join(", ") || "none";
    throw new Error(`the section "${section.name}" does not fill the extension point "${point}"; it fills ${points}`);
  }
  const { extension } = await load();
  const data = await extensionData(extension, props, options);
  if (data === null) return null;
  const { Component } = extension;
  const content = <Component props={props as never} data={data as never} />;
  const view = render(inShellContexts(content, { section: section.name, path: "/", params: {}, points: [] }, options));
  return { ...view, data };
}

async function extensionData(extension: AnyExtension, props: object, options: RenderOptions): Promise<unknown> {
  const context = { props: props as never, site: siteOf(options) };
  const text = JSON.stringify(props);
  const example = extension.examples?.().find((each) => JSON.stringify(each.props) === text);
  const results = await resultsOf("the extension", extension.queries?.(context) ?? {}, options, example);
  return extension.data({ ...context, results });
}
