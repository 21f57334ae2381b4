import { createHash } from "node:crypto";
import path from "node:path";

import type { Boot, Rendered, ResolvedPage, ResolvedSlot } from "../boot.js";
import type { FormResult } from "../page.js";
import { comparePatterns } from "../paths.js";
import type { SiteFacts } from "../site.js";
import type { DevelopmentProblem } from "./problem.js";
import type { DevelopmentSection } from "./section.js";
import type { Shells } from "./shells.js";
import type { SectionBuilds, ViewChange } from "./state.js";

const MAX_VIEWS = 1000;

/** A page of a section under development. */
export interface OwnPage {
  readonly section: DevelopmentSection;
  readonly pattern: string;
}

/** What a page is rendered with: the facts and the shell of a document of the site. */
export interface Surroundings {
  readonly site: SiteFacts;
  /** URL path of the folder of the shell's files. */
  readonly shellAssets: string;
}

/** The problems of rendering a page with one build of its section. */
interface FoundProblems {
  readonly section: DevelopmentSection;
  readonly build: string;
  readonly problems: readonly DevelopmentProblem[];
}

/** The pages of the sections under development. */
export class OwnPages {
  readonly #sections: ReadonlyMap<string, DevelopmentSection>;
  readonly #shells: Shells;
  readonly #onProblems: () => void;
  readonly #problems = new Map<string, FoundProblems>();
  // Digests of the views that builds rendered.
  readonly #views = new Map<string, string>();
  /** Those of the document that the site sent last. */
  surroundings: Surroundings | undefined;

  /** `onProblems` is called when rendering a page finds other problems than before. */
  constructor(sections: ReadonlyMap<string, DevelopmentSection>, shells: Shells, onProblems: () => void) {
    this.#sections = sections;
    this.#shells = shells;
    this.#onProblems = onProblems;
  }

  /** The page at a path, unless the released page of another section takes precedence. */
  find(pagePath: string, released: ResolvedPage | null): OwnPage | undefined {
    const found: OwnPage[] = [];
    for (const section of this.#sections.values()) {
      const pattern = section.patternOf(pagePath);
      if (pattern !== undefined) found.push({ section, pattern });
    }
    const [own] = found.sort((a, b) => comparePatterns(a.pattern, b.pattern));
    if (!own || !released || this.#sections.has(released.section.name)) return own;
    return comparePatterns(released.pattern, own.pattern) < 0 ? undefined : own;
  }

  /** Whether a released page belongs to a section under development. */
  replaces(released: ResolvedPage | null): boolean {
    return released !== null && this.#sections.has(released.section.name);
  }

  /** The slots of a document, in which the sections under development replace their releases. */
  async slots(released: Boot["slots"]): Promise<Boot["slots"]> {
    const slots: Record<string, ResolvedSlot> = {};
    for (const [name, slot] of Object.entries(released)) if (!this.#sections.has(slot.section.name)) slots[name] = slot;
    for (const section of this.#sections.values()) Object.assign(slots, await section.slots());
    return slots;
  }

  /** Resolves when no build runs. */
  async idle(): Promise<void> {
    await Promise.all([...this.#sections.values()].map((section) => section.idle()));
  }

  /** The current builds, by section. */
  builds(): Record<string, SectionBuilds> {
    const builds: Record<string, SectionBuilds> = {};
    for (const [name, { clientBuild, serverBuild }] of this.#sections)
      builds[name] = { client: clientBuild, server: serverBuild };
    return builds;
  }

  /**
   * Renders a page as the shell of the last document does. `rendered` is null if the page cannot be rendered on the server.
   * `build` is the hash of the build that it was rendered from.
   */
  async render(
    { section, pattern }: OwnPage,
    pagePath: string,
    form?: FormResult,
  ): Promise<{ readonly rendered: Rendered | null; readonly build: string }> {
    if (!this.surroundings) return { rendered: null, build: section.serverBuild };
    const { site, shellAssets } = this.surroundings;
    const shell = await this.#shells.get(shellAssets);
    await section.idle();
    const { serverBuild } = section;
    const { rendered, problems } = await section.render(path.join(shell.folder, shell.server), {
      path: pagePath,
      page: { section: section.name, pattern },
      site,
      ...(form && { form }),
    });
    if (rendered && !form) this.#record(viewKey(serverBuild, pagePath), digestOf(rendered.view));
    const before = JSON.stringify(this.problems());
    this.#problems.set(pagePath, { section, build: serverBuild, problems });
    if (JSON.stringify(this.problems()) !== before) this.#onProblems();
    return { rendered, build: serverBuild };
  }

  /** Compares the view of a path with the one that an earlier build of this section rendered. */
  async compareView(pagePath: string, section: DevelopmentSection, build: string): Promise<ViewChange> {
    const own = this.find(pagePath, null);
    if (own?.section !== section) return { changed: false, build: section.serverBuild };
    const before = this.#views.get(viewKey(build, pagePath));
    const { rendered, build: current } = await this.render(own, pagePath);
    const key = viewKey(current, pagePath);
    if (rendered) return { changed: this.#views.get(key) !== before, build: current };
    // When the error is corrected, the view is compared with this one.
    if (before !== undefined) this.#record(key, before);
    return { changed: false, build: current };
  }

  #record(key: string, digest: string): void {
    this.#views.set(key, digest);
    const [oldest] = this.#views.keys();
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest);
  }

  /** The problems of the pages that were rendered with the current builds. */
  problems(): readonly DevelopmentProblem[] {
    return [...this.#problems.values()]
      .filter(({ section, build }) => section.serverBuild === build)
      .flatMap(({ problems }) => problems);
  }
}

function viewKey(build: string, pagePath: string): string {
  return `${build} ${pagePath}`;
}

function digestOf(view: Rendered["view"]): string {
  return createHash("sha256").update(JSON.stringify(view)).digest("base64");
}
