// The entry of the check bundle: what the runner calls in the sandbox. It runs next to the section, with the same React.
import { isNotFound } from "../../notFound.js";
import type { AnyPage, Head } from "../../page.js";
import { matchPath, pathTo, type Params } from "../../paths.js";
import { loadResults, type Queries, type QueryResult } from "../../queries.js";
import { isRedirect } from "../../redirect.js";
import { CONTRACT, type PageModule, type Section, type SlotModule } from "../../section.js";
import { findNonJson } from "../../server/json.js";
import { queriesProblem, queryPaths } from "../../server/queries.js";
import type { ProblemCode } from "../codes.js";
import { PAGE_MEMBERS, type PageMember } from "../pageMembers.js";
import { MAX_PAGE_BYTES } from "../limits.js";
import { recordBlockedElements, takeBlockedElements, type BlockedElement } from "./elements.js";
import { headProblems, isIndexable } from "./head.js";
import { findBlockedMarkup } from "./html.js";
import { renderPage } from "./render.js";
import { PLACEHOLDER_SITE } from "./site.js";

/** A problem that a step found. The default code is COL100. */
export interface Violation {
  readonly problem: string;
  readonly code?: ProblemCode;
  readonly advice?: string;
  /** The part of the section's declaration that it is about, such as `pages /hello`. */
  readonly part?: string;
}

/** A step's result: a problem, or null. */
export type StepResult = Violation | null;

/** The steps of a check. Each may throw what the section throws. */
export interface CheckSteps {
  /** Evaluates the entry module and checks what it declares. */
  loadSection(): Promise<StepResult>;
  /** Names of the slots. */
  slots(): readonly string[];
  loadSlot(name: string): Promise<StepResult>;
  /** Evaluates the module of a page. */
  loadPage(pattern: string): Promise<StepResult>;
  /** The page's paths. If the page lists none and its pattern has no params, the pattern itself, which must not be listed. */
  paths(): { readonly listed: boolean; readonly paths: readonly string[]; readonly problem?: string };
  matches(path: string): StepResult;
  /** Whether the page has queries. */
  hasQueries(): boolean;
  /** Runs `queries`. */
  queries(path: string): StepResult;
  /** Runs `data`, by default with failed queries. */
  data(path: string, isListed: boolean, results?: Readonly<Record<string, QueryResult>>): Promise<StepResult>;
  /** Finds that the current path is not found because its queries fail. */
  failure(path: string): StepResult;
  /** Finds what JSON would change in the data of the current path. */
  json(path: string): StepResult;
  /** A member of the page. Undefined if the page lacks it. */
  member(name: PageMember): unknown;
  /** Runs `head`. Returns whether the page may be indexed, and the problems of the head. */
  head(path: string): { readonly indexable: boolean; readonly problems: readonly Violation[] };
  layout(): void;
  /** Renders the component. */
  render(path: string): Promise<StepResult>;
  /** The HTML of the last render. */
  html(): string;
  /** A path that matches the page's pattern and identifies nothing. Null if the pattern has no params. */
  unknownPath(): string | null;
  /** Runs `data` of an unknown path, which the upstreams do not know either. */
  unknown(path: string): Promise<StepResult>;
  /** Finds blocked elements in rendered HTML. */
  inspect(html: string): void;
  /** Whether `data` of the current path is not found. */
  isNotFound(): boolean;
  /** Whether `data` of the current path is a redirect. */
  isRedirect(): boolean;
  /** Blocked elements that the section created since the last call. */
  takeBlocked(): readonly BlockedElement[];
}

/** The result of a query whose upstream is unavailable. */
const UNAVAILABLE: QueryResult = { ok: false, status: 503 };
/** The result of a query for something that does not exist. */
const UNKNOWN: QueryResult = { ok: false, status: 404 };

/** Creates the steps for a section. `load` imports its entry module, `name` is the name in its configuration. */
export function createSteps(load: () => Promise<{ readonly default: Section }>, name: string): CheckSteps {
  const site = PLACEHOLDER_SITE;
  let section: Section;
  let pattern: string;
  let page: AnyPage;
  let params: Params;
  let queries: Queries = {};
  let data: unknown;
  let nonJson: string | null = null;
  let head: Head;
  let layout: unknown;
  let html = "";
  let inHtml: BlockedElement[] = [];
  const createdCodes = new Set<string>();
  recordBlockedElements();
  return {
    async loadSection() {
      section = (await load()).default;
      return sectionProblem(section, name);
    },
    slots: () => Object.keys(section.slots ?? {}),
    async loadSlot(slotName) {
      const module = (await section.slots?.[slotName]?.()) as Partial<SlotModule> | undefined;
      if (module?.slot) return null;
      return {
        problem: `the module of the slot "${slotName}" does not export "slot"; expected export const slot = defineSlot({ … })`,
        part: `slots ${slotName}`,
      };
    },
    async loadPage(requested) {
      pattern = requested;
      const module = (await section.pages[pattern]?.()) as Partial<PageModule> | undefined;
      if (!module?.page)
        return {
          problem: `the module of the page "${pattern}" does not export "page"; expected export const page = definePage({ … })`,
          part: `pages ${pattern}`,
        };
      ({ page } = module);
      const declared: Partial<AnyPage> = page;
      const missing = PAGE_MEMBERS.find((member) => !declared[member]);
      if (!missing) return null;
      const problem = `the page "${pattern}" has no ${missing}; expected definePage({ ${PAGE_MEMBERS.join(", ")} })`;
      return { code: missing === "head" ? "COL115" : "COL100", problem };
    },
    paths() {
      if (page.paths) {
        const paths: unknown = page.paths();
        if (Array.isArray(paths) && paths.every((path) => typeof path === "string")) return { listed: true, paths };
        return {
          listed: true,
          paths: [],
          problem: `paths() of the page "${pattern}" does not return a list of strings`,
        };
      }
      return { listed: false, paths: pattern.includes("/:") ? [] : [pattern] };
    },
    matches(path) {
      const found = matchPath(pattern, path);
      if (!found)
        return { problem: `paths() of the page "${pattern}" returns ${path}, which does not match the pattern` };
      params = found;
      return null;
    },
    hasQueries: () => page.queries !== undefined,
    queries(path) {
      queries = page.queries?.({ params, site }) ?? {};
      const problem = queriesProblem(queries);
      if (problem !== null) return { code: "COL160", problem: `queries() of ${path} (page ${pattern}) ${problem}` };
      const again = page.queries?.({ params, site }) ?? {};
      if (JSON.stringify(queryPaths(again)) === JSON.stringify(queryPaths(queries))) return null;
      return {
        code: "COL161",
        problem: `queries() of ${path} (page ${pattern}) returns other paths when it runs again`,
      };
    },
    async data(path, isListed, results) {
      const found = await loadResults(queries, (_, name) => results?.[name] ?? UNAVAILABLE);
      data = await page.data({ params, site, results: found });
      if (!isListed) return null;
      if (isRedirect(data))
        return {
          problem: `paths() of the page "${pattern}" returns ${path}, but its data() redirects to ${data.path}`,
        };
      if (!isNotFound(data) || page.queries) return null;
      return {
        problem: `paths() of the page "${pattern}" returns ${path}, but its data() is notFound("${data.heading}")`,
      };
    },
    json(path) {
      nonJson = data === undefined ? null : findNonJson(data);
      if (nonJson === null) return null;
      return {
        code: "COL112",
        problem: `the data of ${path} is not JSON-serializable; expected only null, booleans, finite numbers, strings, arrays and plain objects`,
        advice: `data${nonJson}. Return only what JSON keeps: convert dates to strings, maps to arrays, and leave out undefined.`,
      };
    },
    failure(path) {
      if (!page.queries || !isNotFound(data)) return null;
      const problem = `data() of ${path} (page ${pattern}) is notFound("${data.heading}") if its queries fail with status 503`;
      return { code: "COL162", problem };
    },
    // The module may export no page.
    member: (name): unknown => Reflect.get(Object(page) as object, name),
    head(path) {
      head = page.head({ data: data as never, site });
      return { indexable: isIndexable(head), problems: [...headProblems(head, path, site)] };
    },
    layout() {
      layout = page.layout?.({ data: data as never });
    },
    async render(path) {
      html = await renderPage({ Component: page.Component, data, path, params, site });
      this.inspect(html);
      if (nonJson !== null) return null;
      const { length } = new TextEncoder().encode(JSON.stringify({ head, layout, data, html }));
      if (length <= MAX_PAGE_BYTES) return null;
      const problem = `the page ${path} and its data have ${String(length)} bytes; expected at most ${String(MAX_PAGE_BYTES)}`;
      return { code: "COL113", problem };
    },
    html: () => html,
    unknownPath() {
      const names = [...pattern.matchAll(/\/:(\w+)/g)].map(([, name = ""]) => name);
      if (names.length === 0) return null;
      return pathTo(pattern, Object.fromEntries(names.map((name) => [name, `no-such-${name}`])));
    },
    async unknown(path) {
      params = matchPath(pattern, path) ?? {};
      const failed = this.queries(path);
      if (failed) return failed;
      data = await page.data({ params, site, results: await loadResults(queries, () => UNKNOWN) });
      if (isNotFound(data) || isRedirect(data) || page.anyParams) return null;
      const problem = `data() of ${path} (page ${pattern}) returns data; expected notFound(), because the params are made up`;
      return { code: "COL114", problem };
    },
    inspect(rendered) {
      inHtml = findBlockedMarkup(rendered);
    },
    isNotFound: () => isNotFound(data),
    isRedirect: () => isRedirect(data),
    takeBlocked() {
      const created = takeBlockedElements();
      for (const { code } of created) createdCodes.add(code);
      // What was created with a known position is also in the HTML.
      const others = inHtml.filter(({ code }) => !createdCodes.has(code));
      inHtml = [];
      createdCodes.clear();
      return [...created, ...others];
    },
  };
}

function sectionProblem(section: Section, name: string): StepResult {
  // The type is the literal 1, but the section may have been written for another kit.
  const contract: number = section.contract;
  if (contract !== CONTRACT)
    return {
      problem: `the section has contract ${String(contract)}; this kit supports contract ${String(CONTRACT)}`,
      part: "contract",
    };
  if (section.name !== name)
    return {
      problem: `the name is "${section.name}" in defineSection, but "${name}" in section.config.js; use the same name`,
      part: "name",
    };
  return null;
}
