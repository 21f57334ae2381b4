import {
  isNotFound,
  isRedirect,
  type AnyContext,
  type AnyPage,
  type ExampleResults,
  type Head,
  type Params,
  type Queries,
  type QueryResult,
} from "@colonnade/kit";
import { matchPath } from "@colonnade/kit/contract";
import { queryPaths } from "@colonnade/kit/server";
import { loadResults } from "@colonnade/kit/shell";
import { MAX_PAGE_BYTES } from "../limits.js";
import { resultProblems } from "./examples.js";
import { headProblems, isIndexable } from "./head.js";
import { inspectHtml } from "./html.js";
import { canonicalSearch } from "./search.js";
import { Places } from "./places.js";
import { renderPage, type SectionServices } from "./render.js";
import { jsonViolation, queriesViolation, sizeViolation, UNAVAILABLE } from "./steps.js";
import type { StepResult, Violation } from "./violation.js";

/** The result of a query for something that does not exist. */
const UNKNOWN: QueryResult = { ok: false, status: 404 };

/** The steps of the check of a page at one path, in their order. Each may throw what the section throws. */
export class PathCheck {
  readonly #pattern: string;
  readonly #page: AnyPage;
  /** With its query. */
  readonly #path: string;
  readonly #services: SectionServices;
  readonly #example: string;
  #params: Params = {};
  /** Its query parameters, or that there is no page with these. */
  #search: object = {};
  #queries: Queries = {};
  #data: unknown;
  #isJson = true;
  #head: Head | undefined;
  #layout: unknown;
  /** The HTML of the last render. */
  html = "";

  /** `example` names the results that the steps use, for messages. */
  constructor(pattern: string, page: AnyPage, path: string, services: SectionServices, example = "") {
    this.#pattern = pattern;
    this.#page = page;
    this.#path = path;
    this.#services = services;
    this.#example = example;
  }

  get #context(): AnyContext {
    return { params: this.#params, search: this.#search, site: this.#services.site };
  }

  /** The path, for messages. */
  get where(): string {
    const path = `${this.#path} (page ${this.#pattern})`;
    return this.#example === "" ? path : `${path} with ${this.#example}`;
  }

  matches(): StepResult {
    const found = matchPath(this.#pattern, this.#path.split("?")[0] ?? "");
    if (!found) return this.#mismatch("which does not match the pattern");
    this.#params = found;
    return null;
  }

  /** A problem of a path that the page lists, or that an example has. */
  #mismatch(rule: string): StepResult {
    const [path, page] = [`${this.#path}, ${rule}`, `the page "${this.#pattern}"`];
    if (this.#example === "") return { problem: `paths() of ${page} returns ${path}` };
    return { code: "COL163", problem: `${this.#example} of ${page} has the path ${path}` };
  }

  /** Reads the query parameters of a path that the page lists. */
  async search(): Promise<StepResult> {
    const isAccepted = await this.readSearch();
    const [, query] = this.#path.split("?");
    // A page that needs a parameter has no content at its pattern.
    if (query === undefined) return null;
    const canonical = canonicalSearch(this.#page.search?.names ?? [], query);
    if (canonical !== query) return this.#mismatch(`whose query is not "${canonical}", its canonical form`);
    return isAccepted ? null : this.#mismatch("whose query its search rejects");
  }

  /** Reads the query parameters. False if the page rejects the query. */
  async readSearch(): Promise<boolean> {
    this.#search = (await this.#page.search?.read(this.#path)) ?? {};
    return !isNotFound(this.#search);
  }

  /** Whether the page has queries. */
  hasQueries(): boolean {
    return this.#page.queries !== undefined;
  }

  /** Runs `queries`. */
  queries(): StepResult {
    const run = (): Queries => (isNotFound(this.#search) ? undefined : this.#page.queries?.(this.#context)) ?? {};
    this.#queries = run();
    return queriesViolation(this.#queries, run, `queries() of ${this.where}`);
  }

  /** The paths of the queries, by name. */
  queryPaths(): Readonly<Record<string, string>> {
    return queryPaths(this.#queries);
  }

  /** Finds which results are not those of the queries. */
  async resultProblems(results: ExampleResults): Promise<readonly Violation[]> {
    return resultProblems(this.#queries, results, this.where);
  }

  /** Runs `data`, by default with failed queries. */
  async data(isListed: boolean, results?: Readonly<Record<string, QueryResult>>): Promise<StepResult> {
    const data = await this.#load((name) => results?.[name] ?? UNAVAILABLE);
    const subject = `paths() of the page "${this.#pattern}" returns ${this.#path}, but its data()`;
    if (!isListed) return null;
    if (isRedirect(data)) return { problem: `${subject} redirects to ${data.path}` };
    if (!isNotFound(data) || this.#page.queries) return null;
    return { problem: `${subject} is notFound("${data.heading}")` };
  }

  async #load(resultOf: (query: string) => QueryResult): Promise<unknown> {
    const results = await loadResults(this.#queries, (_, name) => resultOf(name));
    this.#data = isNotFound(this.#search) ? this.#search : await this.#page.data({ ...this.#context, results });
    return this.#data;
  }

  /** Whether `data` returned data, and not that there is nothing or another path. */
  hasContent(): boolean {
    return !isNotFound(this.#data) && !isRedirect(this.#data);
  }

  isNotFound(): boolean {
    return isNotFound(this.#data);
  }

  /** Finds that the path is not found because its queries fail. */
  failure(): StepResult {
    if (isNotFound(this.#search) || !this.#page.queries || !isNotFound(this.#data)) return null;
    const problem = `data() of ${this.#path} (page ${this.#pattern}) is notFound("${this.#data.heading}") if its queries fail with status 503`;
    return { code: "COL162", problem };
  }

  /** Finds what JSON would change in the data. */
  json(): StepResult {
    const violation = jsonViolation(this.#data, this.#path);
    this.#isJson = violation === null;
    return violation;
  }

  /** Runs `head`. Returns whether the page may be indexed, and the problems of the head. */
  head(): { readonly indexable: boolean; readonly problems: readonly Violation[] } {
    const head = this.#page.head({
      data: this.#data as never,
      search: this.#search as never,
      site: this.#services.site,
    });
    this.#head = head;
    return {
      indexable: isIndexable(head),
      problems: [...headProblems(head, this.#path, this.#services.site, this.#page.search?.names)],
    };
  }

  layout(): void {
    this.#layout = this.#page.layout?.({ data: this.#data as never });
  }

  /** Renders the component. */
  async render(): Promise<StepResult> {
    const [data, path, services] = [this.#data, this.#path.split("?")[0] ?? "", this.#services];
    const { Component, extensionPoints = [] } = this.#page;
    const search = this.#page.search && this.#search;
    const places = new Places();
    this.html = await renderPage({
      Component,
      data,
      path,
      params: this.#params,
      search,
      services,
      Place: places.Place,
    });
    inspectHtml(this.html);
    const listed = extensionPoints.map(({ reference }) => reference);
    const misplaced = places.violation(this.html, listed, this.where);
    if (misplaced || !this.#isJson) return misplaced;
    return sizeViolation(
      { head: this.#head, layout: this.#layout, data, html: this.html },
      MAX_PAGE_BYTES,
      `the page ${path}`,
    );
  }

  /** Runs `data` of a path whose params are made up, so that the upstreams do not know them either. */
  async unknown(): Promise<StepResult> {
    this.#params = matchPath(this.#pattern, this.#path) ?? {};
    if (!(await this.readSearch())) return null;
    const failed = this.queries();
    if (failed) return failed;
    await this.#load(() => UNKNOWN);
    if (!this.hasContent() || this.#page.anyParams) return null;
    const problem = `data() of ${this.#path} (page ${this.#pattern}) returns data; expected notFound(), because the params are made up`;
    return { code: "COL114", problem };
  }
}
