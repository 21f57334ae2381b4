import type { ExampleResults, Queries, Section, Site } from "@colonnade/kit";
import { queryPaths } from "@colonnade/kit/server";
import { loadResults, type AnyExtension, type ExtensionModule } from "@colonnade/kit/shell";
import { MAX_EXTENSION_BYTES } from "../limits.js";
import { describeExamples, resultProblems, type DescribedExamples } from "./examples.js";
import { inspectHtml } from "./html.js";
import { functionViolations } from "./members.js";
import { Places } from "./places.js";
import { renderExtension, type SectionServices } from "./render.js";
import { jsonViolation, queriesViolation, sizeViolation, UNAVAILABLE } from "./steps.js";
import type { StepResult, Violation } from "./violation.js";

const MEMBERS = ["data", "Component"] as const;
const FUNCTIONS = ["data", "queries", "examples"];

/** The check of an extension. {@link ExtensionCheck.load} is first. Each method may throw what the section throws. */
export class ExtensionCheck {
  readonly #section: Section;
  readonly #point: string;
  readonly #services: SectionServices;
  #extension: AnyExtension | undefined;
  // With the current props.
  #subject = "";
  #props: unknown;
  #queries: Queries = {};
  #data: unknown;
  #isJson = true;
  /** The HTML of the last render. */
  html = "";

  /** `point` is the reference of the extension point. */
  constructor(section: Section, point: string, services: SectionServices) {
    this.#section = section;
    this.#point = point;
    this.#services = services;
  }

  /** Evaluates the module of the extension. */
  async load(): Promise<readonly Violation[]> {
    const point = this.#point;
    const module = (await this.#section.extensions?.[point]?.()) as Partial<ExtensionModule> | undefined;
    if (!module?.extension)
      return [
        {
          problem: `the module of the extension "${point}" does not export "extension"; expected export const extension = defineExtension({ … })`,
          part: `extensions ${point}`,
        },
      ];
    this.#extension = module.extension;
    const declared: Partial<AnyExtension> = module.extension;
    const subject = `the extension "${point}"`;
    const missing = MEMBERS.filter((member) => !declared[member]);
    const problems = missing.map(
      (member) => `${subject} has no ${member}; expected defineExtension({ ${MEMBERS.join(", ")} })`,
    );
    const { order = 0 } = declared;
    if (!Number.isSafeInteger(order)) problems.push(`${subject} has the order ${String(order)}; expected an integer`);
    return [...problems.map((problem) => ({ problem })), ...functionViolations(declared, FUNCTIONS, subject)];
  }

  /** A member of the extension. Undefined if the extension lacks it, or the module exports none. */
  member(name: string): unknown {
    return Reflect.get(Object(this.#extension) as object, name);
  }

  order(): number {
    return this.#loaded().order ?? 0;
  }

  examples(): DescribedExamples {
    return describeExamples(this.#loaded().examples?.() ?? [], "props", `the extension "${this.#point}"`);
  }

  /** Sets the props, as JSON, of the steps that follow. `subject` is the extension with the props, for messages. */
  setProps(json: string, subject: string): void {
    this.#props = JSON.parse(json);
    this.#subject = subject;
  }

  /** Whether the extension has queries. */
  hasQueries(): boolean {
    return this.#loaded().queries !== undefined;
  }

  /** Runs `queries`. */
  queries(): StepResult {
    const run = (): Queries => this.#loaded().queries?.(this.#context()) ?? {};
    this.#queries = run();
    return queriesViolation(this.#queries, run, `queries() of ${this.#subject}`);
  }

  /** The paths of the queries, by name. */
  queryPaths(): Readonly<Record<string, string>> {
    return queryPaths(this.#queries);
  }

  /** Finds which results are not those of the queries. */
  async resultProblems(results: ExampleResults): Promise<readonly Violation[]> {
    return resultProblems(this.#queries, results, this.#subject);
  }

  /** Runs `data`, by default with failed queries. */
  async data(given?: ExampleResults): Promise<StepResult> {
    const results = await loadResults(this.#queries, (_, name) => given?.[name] ?? UNAVAILABLE);
    this.#data = await this.#loaded().data({ ...this.#context(), results });
    const violation = jsonViolation(this.#data, this.#subject);
    this.#isJson = violation === null;
    return violation;
  }

  /** Whether there is something to show. */
  hasContent(): boolean {
    return this.#data !== null;
  }

  /** Renders the component. */
  async render(): Promise<StepResult> {
    const { Component } = this.#loaded();
    const [point, props, data, services] = [this.#point, this.#props, this.#data, this.#services];
    const places = new Places();
    this.html = await renderExtension({ Component, point, props, data, services, Place: places.Place });
    inspectHtml(this.html);
    const misplaced = places.violation(this.html, [], this.#subject);
    if (misplaced || !this.#isJson) return misplaced;
    return sizeViolation({ html: this.html, data }, MAX_EXTENSION_BYTES, this.#subject);
  }

  #context(): { readonly props: never; readonly site: Site } {
    return { props: this.#props as never, site: this.#services.site };
  }

  #loaded(): AnyExtension {
    if (!this.#extension) throw new Error(`the extension ${this.#point} is not loaded`);
    return this.#extension;
  }
}
