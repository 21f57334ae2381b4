import type { AnyPage, PageModule, Section } from "@colonnade/kit";
import { isStaticPattern, pathTo } from "@colonnade/kit/contract";
import { PAGE_MEMBERS, type PageMember } from "../pageMembers.js";
import { describeExamples, type DescribedExamples } from "./examples.js";
import { functionViolations } from "./members.js";
import { PathCheck } from "./pathCheck.js";
import { describePoints, type DescribedPoints } from "./points.js";
import type { SectionServices } from "./render.js";
import { searchProblem } from "./search.js";
import type { Violation } from "./violation.js";

const FUNCTIONS = ["data", "head", "queries", "paths", "examples", "layout"];

/** The paths of a page. */
export interface ListedPaths {
  /** Whether the page lists them. Otherwise, they are its pattern if that has no params, which must not be listed. */
  readonly listed: boolean;
  readonly paths: readonly string[];
  readonly problem?: string;
}

/** The check of a page, which {@link PageCheck.load} must have loaded. Each method may throw what the section throws. */
export class PageCheck {
  readonly #section: Section;
  readonly #pattern: string;
  readonly #services: SectionServices;
  #page: AnyPage | undefined;

  constructor(section: Section, pattern: string, services: SectionServices) {
    this.#section = section;
    this.#pattern = pattern;
    this.#services = services;
  }

  /** Evaluates the module of the page. */
  async load(): Promise<readonly Violation[]> {
    const pattern = this.#pattern;
    const module = (await this.#section.pages[pattern]?.()) as Partial<PageModule> | undefined;
    if (!module?.page)
      return [
        {
          problem: `the module of the page "${pattern}" does not export "page"; expected export const page = definePage({ … })`,
          part: `pages ${pattern}`,
        },
      ];
    this.#page = module.page;
    const declared: Partial<AnyPage> = module.page;
    const members = declared.browserOnly ? ([...PAGE_MEMBERS, "fallback"] as const) : PAGE_MEMBERS;
    const missing = members.filter((member) => !declared[member]);
    const problems: Violation[] = missing.map((member) => {
      const problem = `the page "${pattern}" has no ${member}; expected definePage({ ${members.join(", ")} })`;
      return { code: member === "head" ? "COL115" : "COL100", problem };
    });
    problems.push(...functionViolations(declared, FUNCTIONS, `the page "${pattern}"`));
    const misnamed = module.page.search && searchProblem(module.page.search);
    return misnamed ? [...problems, { problem: `the page "${pattern}" ${misnamed}` }] : problems;
  }

  /** A member of the page. Undefined if the page lacks it, or the module exports no page. */
  member(name: PageMember): unknown {
    return Reflect.get(Object(this.#page) as object, name);
  }

  isBrowserOnly(): boolean {
    return this.#loaded().browserOnly === true;
  }

  /** The names of the query parameters that the page declares. */
  searchNames(): readonly string[] {
    return this.#loaded().search?.names ?? [];
  }

  /** The extension points that the page lists. */
  points(): DescribedPoints {
    return describePoints(this.#loaded().extensionPoints, this.#section.name, `the page "${this.#pattern}"`);
  }

  paths(): ListedPaths {
    const page = this.#loaded();
    if (!page.paths) return { listed: false, paths: isStaticPattern(this.#pattern) ? [this.#pattern] : [] };
    const paths: unknown = page.paths();
    if (Array.isArray(paths) && paths.every((path) => typeof path === "string")) return { listed: true, paths };
    const problem = `paths() of the page "${this.#pattern}" does not return a list of strings`;
    return { listed: true, paths: [], problem };
  }

  examples(): DescribedExamples {
    return describeExamples(this.#loaded().examples?.() ?? [], "path", `the page "${this.#pattern}"`);
  }

  /** A path that matches the pattern and identifies nothing. Null if the pattern has no params. */
  unknownPath(): string | null {
    if (isStaticPattern(this.#pattern)) return null;
    const names = [...this.#pattern.matchAll(/\/:?(\*|(?<=:)\w+)/g)].map(([, name = ""]) => name);
    return pathTo(this.#pattern, Object.fromEntries(names.map((name) => [name, `no-such-${name}`])));
  }

  /** The check of the page at a path. `example` names the results that the steps use, for messages. */
  at(path: string, example?: string): PathCheck {
    return new PathCheck(this.#pattern, this.#loaded(), path, this.#services, example);
  }

  #loaded(): AnyPage {
    if (!this.#page) throw new Error(`the page ${this.#pattern} is not loaded`);
    return this.#page;
  }
}
