/**
 * Test helpers that render a section's pages and slots without a shell.
 *
 * `@testing-library/react` is an optional peer dependency: install it in the section's package.
 *
 * @module testing
 */
import { render, type RenderResult } from "@testing-library/react";
import { createElement, type ComponentType, type ReactElement, type ReactNode } from "react";
import { MemoryRouter } from "react-router-dom";

import { ParamsContext, SectionContext, ShellContext } from "../context.js";
import { isNotFound, type NotFound } from "../notFound.js";
import type { AnyPage, FormResult, Head, Layout } from "../page.js";
import { comparePatterns, matchPath, type Params } from "../paths.js";
import { loadResults, type Queries, type QueryResult } from "../queries.js";
import { isRedirect } from "../redirect.js";
import type { RemoteLoader, Remotes, RemoteViewProps } from "../remoteLoader.js";
import type { Section } from "../section.js";
import type { SectionConfiguration, Site } from "../site.js";
import type { DialogParams, DialogSlotProps } from "../slot.js";

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
   * Results of the page's queries, by name. They are validated by schema. A missing one is a failure with status 503; one that
   * no query has asked for is an error.
   */
  readonly results?: Readonly<Record<string, QueryResult>>;
  /** The section's configuration. Default: empty. */
  readonly config?: SectionConfiguration;
  /**
   * Modules that other sections expose, by `section/Name`, such as `{ "catalog/PriceTag": { default: PriceTag } }`. Another one is
   * not live: `<Remote>` shows its fallback.
   */
  readonly remotes?: Readonly<Record<string, object>>;
  /** Called when the section opens a dialog of the shell. */
  readonly onDialog?: (slot: string, params: DialogParams) => void;
}

/** A rendered page: the result of Testing Library's `render`, with the page's data, head and layout. */
export interface RenderedPage extends RenderResult {
  readonly data: unknown;
  readonly head: Head;
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

interface Place {
  readonly section: string;
  readonly path: string;
  readonly params: Params;
}

function inShellContexts(children: ReactNode, { section, path, params }: Place, options: RenderOptions): ReactElement {
  const services = {
    site: siteOf(options),
    configs: { [section]: options.config ?? {} },
    openDialog: options.onDialog ?? (() => undefined),
    remotes: remotesOf(options),
  };
  return (
    <MemoryRouter initialEntries={[path]}>
      <ShellContext value={services}>
        <SectionContext value={section}>
          <ParamsContext value={params}>{children}</ParamsContext>
        </SectionContext>
      </ShellContext>
    </MemoryRouter>
  );
}

/** Wraps a component in the shell's contexts, for tests that render a single component. */
export function inShell(component: ReactNode, options: RenderOptions = {}): ReactElement {
  return inShellContexts(component, { section: "test", path: "/", params: {} }, options);
}

async function findPage(section: Section, path: string): Promise<{ page: AnyPage; params: Params }> {
  const patterns = Object.keys(section.pages).sort(comparePatterns);
  for (const pattern of patterns) {
    const params = matchPath(pattern, path);
    const load = section.pages[pattern];
    if (params && load) return { page: (await load()).page, params };
  }
  throw new Error(`the section "${section.name}" has no page for ${path}; its patterns are ${patterns.join(", ")}`);
}

/** @throws Error if there is a result without a query, such as after a typo. */
function checkNames(queries: Queries, results: RenderOptions["results"] = {}): void {
  const names = Object.keys(queries);
  const unknown = Object.keys(results).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new Error(`the page has no query "${unknown}"; its queries are ${names.join(", ") || "none"}`);
}

const UNAVAILABLE: QueryResult = { ok: false, status: 503 };

async function dataOf(page: AnyPage, params: Params, options: RenderOptions): Promise<unknown> {
  const context = { params, site: siteOf(options) };
  const queries = page.queries?.(context) ?? {};
  checkNames(queries, options.results);
  const results = await loadResults(queries, (_, name) => options.results?.[name] ?? UNAVAILABLE);
  return page.data({ ...context, results });
}

/**
 * Returns the data of the page at a path (percent-encoded), or the value of `notFound()` or `redirect()`.
 *
 * @throws Error if no pattern of the section matches the path, or if there is a result of a query that the page does not have.
 */
export async function loadData(section: Section, path: string, options: RenderOptions = {}): Promise<unknown> {
  const { page, params } = await findPage(section, path);
  return dataOf(page, params, options);
}

/**
 * Renders the page at a path (percent-encoded). If its data is `notFound()`, returns that value without rendering.
 *
 * @throws Error as {@link loadData}, and if its data is `redirect()`: test that with {@link loadData}.
 */
export async function renderPage(
  section: Section,
  path: string,
  options: RenderOptions = {},
): Promise<RenderedPage | NotFound> {
  const { page, params } = await findPage(section, path);
  const site = siteOf(options);
  const data = (await dataOf(page, params, options)) as never;
  if (isNotFound(data)) return data;
  if (isRedirect(data)) throw new Error(`${path} redirects to ${(data as { path: string }).path}`);
  const { Component } = page;
  const view = render(
    inShellContexts(
      <Component data={data} {...(options.form && { form: options.form })} />,
      { section: section.name, path, params },
      options,
    ),
  );
  return { ...view, data, head: page.head({ data, site }), layout: page.layout?.({ data }) ?? {} };
}

/**
 * Renders the section's content of a slot.
 *
 * @throws Error if the section does not fill the slot.
 */
export async function renderSlot(
  section: Section,
  name: string,
  props: DialogSlotProps,
  options: RenderOptions = {},
): Promise<RenderResult> {
  const load = section.slots?.[name];
  if (!load) {
    const names = Object.keys(section.slots ?? {}).join(", ") || "none";
    throw new Error(`the section "${section.name}" does not fill the slot "${name}"; its slots are ${names}`);
  }
  const { Component } = (await load()).slot;
  return render(inShellContexts(<Component {...props} />, { section: section.name, path: "/", params: {} }, options));
}
