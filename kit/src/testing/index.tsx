// Renders a section's pages and slots in a test as the shell would, without a shell.
// Needs @testing-library/react, which the package that tests brings along.
import { render, type RenderResult } from "@testing-library/react";
import type { ReactElement, ReactNode } from "react";
import { MemoryRouter } from "react-router-dom";

import { ParamsContext, ShellContext } from "../context.js";
import { isNotFound, type NotFound } from "../notFound.js";
import { DEFAULT_LAYOUT, type AnyPage, type FormAnswer, type Head, type Layout } from "../page.js";
import { comparePatterns, matchPath, type Params } from "../paths.js";
import type { Section } from "../section.js";
import type { SiteFacts } from "../site.js";
import type { JoinReason, JoinSlotProps } from "../slot.js";

/** Facts of a made-up site: no sign-up backend, no partner. */
export const TEST_SITE: SiteFacts = {
  brand: "Test Directory",
  origin: "https://site.example",
  contact: "contact@site.example",
  legalEntity: "Test Company",
  processingCountry: "the United States",
  retention: "logs are kept for 30 days",
  governingLaw: "the State of Testing",
  logsAddresses: false,
  navigation: { menu: [{ label: "Home", path: "/" }], footer: [{ label: "Terms", path: "/terms" }] },
  signup: { page: "/signup", success: "/success", host: null, redirectHosts: [] },
  partner: null,
  today: "2026-01-31",
};

/** How a page or slot is to be rendered. */
export interface RenderOptions {
  /** Facts that differ from {@link TEST_SITE}. */
  readonly site?: Partial<SiteFacts>;
  /** The answer to a form post. */
  readonly form?: FormAnswer;
  /** Called when the section asks for the join dialog. */
  readonly onJoin?: (reason: JoinReason) => void;
}

/** A page that exists, rendered. */
export interface RenderedPage extends RenderResult {
  readonly data: unknown;
  readonly head: Head;
  readonly layout: Layout;
}

function siteOf(options: RenderOptions): SiteFacts {
  return { ...TEST_SITE, ...options.site };
}

function wrap(children: ReactNode, path: string, params: Params, options: RenderOptions): ReactElement {
  const services = { site: siteOf(options), openJoin: options.onJoin ?? (() => undefined) };
  return (
    <MemoryRouter initialEntries={[path]}>
      <ShellContext value={services}>
        <ParamsContext value={params}>{children}</ParamsContext>
      </ShellContext>
    </MemoryRouter>
  );
}

/** A component as it stands within the shell: for a test that renders one by itself, in a document or to a string. */
export function inShell(component: ReactNode, options: RenderOptions = {}): ReactElement {
  return wrap(component, "/", {}, options);
}

async function find(section: Section, path: string): Promise<{ page: AnyPage; params: Params }> {
  const patterns = Object.keys(section.pages).sort(comparePatterns);
  for (const pattern of patterns) {
    const params = matchPath(pattern, path);
    const load = section.pages[pattern];
    if (params && load) return { page: (await load()).page, params };
  }
  throw new Error(`no page of the section "${section.name}" matches ${path}; it has ${patterns.join(", ")}`);
}

/** What a page's `data` answers for a path: its data, or that it is not found. */
export async function loadData(section: Section, path: string, options: RenderOptions = {}): Promise<unknown> {
  const { page, params } = await find(section, path);
  return page.data({ params, site: siteOf(options) });
}

/**
 * Renders the page of a path (percent-encoded). Returns its head and layout too, or the
 * not-found answer, which nothing is rendered for.
 *
 * @throws Error when no pattern of the section matches the path.
 */
export async function renderPage(
  section: Section,
  path: string,
  options: RenderOptions = {},
): Promise<RenderedPage | NotFound> {
  const { page, params } = await find(section, path);
  const site = siteOf(options);
  const data = (await page.data({ params, site })) as never;
  if (isNotFound(data)) return data;
  const { Component } = page;
  const view = render(
    wrap(<Component data={data} {...(options.form && { form: options.form })} />, path, params, options),
  );
  return { ...view, data, head: page.head({ data, site }), layout: { ...DEFAULT_LAYOUT, ...page.layout?.({ data }) } };
}

/** Renders what the section puts into a slot. */
export async function renderSlot(
  section: Section,
  name: string,
  props: JoinSlotProps,
  options: RenderOptions = {},
): Promise<RenderResult> {
  const load = section.slots?.[name];
  if (!load) throw new Error(`the section "${section.name}" fills no slot "${name}"`);
  const { Component } = (await load()).slot;
  return render(wrap(<Component {...props} />, "/", {}, options));
}
