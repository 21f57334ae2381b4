import { createHash } from "node:crypto";
import path from "node:path";

import type {
  ExtensionRequest,
  RemoteDetails,
  RemoteSection,
  RenderRequest,
  Rendered,
  RenderedRedirect,
  ResolvedExtensions,
  ResolvedPage,
} from "@colonnade/kit/shell";
import type { FormResult, QueryResult, SectionConfiguration, Site } from "@colonnade/kit";
import { comparePatterns } from "@colonnade/kit/contract";
import type { ContentPolicy } from "../build/policy.js";
import { placeholderSettings } from "../build/settings.js";
import { referenceOf } from "../check/listedPoints.js";
import { replaceExtensions, type SectionExtensions } from "./extensions.js";
import { readExtensionList } from "./liveExtensions.js";
import { withNavigation } from "./navigation.js";
import type { DevelopmentProblem } from "./problem.js";
import { runQueries, type ApiRoutes } from "./queries.js";
import type { DevelopmentSection, RenderedPage } from "./section.js";
import type { Shells } from "./shells.js";
import type { SectionBuilds, ViewChange } from "./state.js";

const MAX_VIEWS = 1000;

/** The reference of a point, and some of its props. */
type PropsOfPoint = readonly [point: string, props: readonly object[]];

/** What the references of the shell's extension points start with. */
const SHELL_POINTS = "shell/";

/** A page of a section under development. */
export interface DevelopmentPage {
  readonly section: DevelopmentSection;
  readonly pattern: string;
}

/** The parts of a site's document that its pages are rendered with. */
export interface SiteContext {
  readonly site: Site;
  /** URL path of the folder of the shell's files. */
  readonly shellAssets: string;
}

/** The queries of a page, and their results. */
interface PageQueries {
  readonly queries: Readonly<Record<string, string>>;
  readonly results: Readonly<Record<string, QueryResult>>;
}

/** The last render of a page. */
interface PageRender {
  readonly section: DevelopmentSection;
  /** Hash of the build that rendered it. */
  readonly build: string;
  readonly problems: readonly DevelopmentProblem[];
  readonly exceedsLimit: boolean;
}

/** Result of {@link DevelopmentPages.render}. */
interface PageResult {
  /** Null if the server cannot render the page. */
  readonly rendered: Rendered | RenderedRedirect | null;
  /** Hash of the build that rendered it. */
  readonly build: string;
  /** Whether the render exceeded the limit of CPU time. The page must not run in a browser, which has no limit. */
  readonly exceedsLimit: boolean;
}

/** The pages of the sections under development. */
export class DevelopmentPages {
  readonly #sections: ReadonlyMap<string, DevelopmentSection>;
  readonly #shells: Shells;
  readonly #routes: ApiRoutes;
  readonly #onProblems: () => void;
  // By path.
  readonly #renders = new Map<string, PageRender>();
  // By path. The results of the last document or navigation.
  readonly #queries = new Map<string, PageQueries>();
  // The configurations of sections that the site has sent, by name.
  readonly #siteConfigs = new Map<string, SectionConfiguration>();
  /** The points with extensions under development of the views that a browser has requested, by path: each with props. */
  readonly #points = new Map<string, readonly PropsOfPoint[]>();
  // Digests of rendered views, by build and path.
  readonly #views = new Map<string, string>();
  /** The context of the last document that the site sent. */
  siteContext: SiteContext | undefined;

  /** `onProblems` is called when rendering a page finds other problems than before. */
  constructor(
    sections: ReadonlyMap<string, DevelopmentSection>,
    shells: Shells,
    routes: ApiRoutes,
    onProblems: () => void,
  ) {
    this.#sections = sections;
    this.#shells = shells;
    this.#routes = routes;
    this.#onProblems = onProblems;
  }

  /** The page at a path, unless the released page of another section takes precedence. */
  find(pagePath: string, released: ResolvedPage | null): DevelopmentPage | undefined {
    const candidates: DevelopmentPage[] = [];
    for (const section of this.#sections.values()) {
      const pattern = section.patternOf(pagePath);
      if (pattern !== undefined) candidates.push({ section, pattern });
    }
    const [page] = candidates.sort((a, b) => comparePatterns(a.pattern, b.pattern));
    if (!page || !released || this.#sections.has(released.section.name)) return page;
    return comparePatterns(released.pattern, page.pattern) < 0 ? undefined : page;
  }

  /** Remembers the configurations of sections that a response of the site has, by name. */
  rememberConfigs(configs: Readonly<Record<string, SectionConfiguration | undefined>>): void {
    for (const [name, config] of Object.entries(configs)) if (config) this.#siteConfigs.set(name, config);
  }

  /**
   * The configurations of the sections under development, by name: the values that the site has sent, and a placeholder for each
   * other one that the section lists. A site sends none for a section that is not live.
   */
  configs(): Record<string, SectionConfiguration> {
    const configs: Record<string, SectionConfiguration> = {};
    for (const [name, { config }] of this.#sections)
      configs[name] = { ...placeholderSettings(config).config, ...this.#siteConfigs.get(name) };
    return configs;
  }

  /** What the documents of the sections under development may do in addition to the strict policy. */
  policies(): ContentPolicy[] {
    return [...this.#sections.values()].flatMap(({ policies }) => policies);
  }

  /** A site with the links that the sections under development contribute to the navigation. */
  withNavigation(site: Site): Site {
    const entries = [...this.#sections.values()].flatMap(({ navigation }) => navigation);
    return withNavigation(site, entries);
  }

  /** Whether a released page belongs to a section under development. */
  replaces(released: ResolvedPage | null): boolean {
    return released !== null && this.#sections.has(released.section.name);
  }

  /**
   * Replaces the released extensions of sections under development by those of their builds, except for one section: those of a
   * page's points, or of the shell's.
   */
  async extensions(
    of: "page" | "shell",
    released: ResolvedExtensions | undefined,
    except?: DevelopmentSection,
  ): Promise<ResolvedExtensions | undefined> {
    const configs = this.configs();
    const development = new Map<string, SectionExtensions>();
    for (const [name, section] of this.#sections) {
      const extensions = section === except ? [] : Object.entries(await section.extensions());
      const found = extensions.filter(([point]) => point.startsWith(SHELL_POINTS) === (of === "shell"));
      const config = configs[name] ?? {};
      development.set(name, Object.fromEntries(found.map(([point, extension]) => [point, { ...extension, config }])));
    }
    return replaceExtensions(released, development);
  }

  /** Replaces the released sections under development, as other sections load them, by their builds. */
  async remotes(released: Readonly<Record<string, RemoteSection>>): Promise<Record<string, RemoteSection>> {
    const remotes = { ...released };
    for (const [name, section] of this.#sections) remotes[name] = await section.remote();
    return remotes;
  }

  /** What the modules of a section need, in place of what the site has sent. Undefined if it is not under development. */
  remoteDetails(name: string, released?: RemoteDetails): RemoteDetails | undefined {
    const section = this.#sections.get(name);
    if (!section) return undefined;
    this.rememberConfigs({ [name]: released?.config });
    return { ...section.remoteDetails(), config: this.configs()[name] ?? {} };
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

  /** Renders a page at a path, with or without a query, with the shell of the last document, and with current results of its queries. */
  async render(page: DevelopmentPage, pagePath: string, form?: FormResult): Promise<PageResult> {
    this.#queries.delete(pagePath);
    return this.#render(page, pagePath, form);
  }

  async #render({ section, pattern }: DevelopmentPage, pagePath: string, form?: FormResult): Promise<PageResult> {
    if (!this.siteContext) return { rendered: null, build: section.serverBuild, exceedsLimit: false };
    const { site, shellAssets } = this.siteContext;
    const shell = await this.#shells.get(shellAssets);
    await section.idle();
    const { serverBuild } = section;
    const [pathname = ""] = pagePath.split("?", 1);
    const request = {
      path: pathname,
      search: pagePath.slice(pathname.length + 1),
      page: { section: section.name, pattern },
      site: this.withNavigation(site),
      config: this.configs()[section.name] ?? {},
      ...(form && { form }),
    };
    const script = path.join(shell.folder, shell.server);
    const {
      rendered: result,
      problems,
      exceedsLimit,
    } = await this.#renderWithResults(section, script, request, pagePath);
    const rendered = result && "queries" in result ? null : result;
    if (rendered && !form) this.#record(viewKey(serverBuild, pagePath), digestOf(rendered));
    this.#recordRender(pagePath, { section, build: serverBuild, problems, exceedsLimit });
    const points = rendered && "points" in rendered ? Object.entries(rendered.points ?? {}) : [];
    void this.#tryExtensions(
      pathname,
      points.map(([point, props]) => [point, [props]]),
    ).catch(() => undefined);
    return { rendered, build: serverBuild, exceedsLimit };
  }

  #recordRender(key: string, render: PageRender): void {
    const earlierProblems = JSON.stringify(this.problems());
    this.#renders.set(key, render);
    if (JSON.stringify(this.problems()) !== earlierProblems) this.#onProblems();
  }

  /**
   * Renders the extensions under development of a released page, and of the shell around it, to find problems. The props are the
   * examples of the site: only the browser knows those of the page.
   */
  async tryReleased(pagePath: string, released: ResolvedPage | null): Promise<void> {
    const { site } = this.#routes;
    if (site === undefined || !this.siteContext) return;
    const extensions = await Promise.all([...this.#sections.values()].map((section) => section.extensions()));
    const filled = extensions.flatMap((each) => Object.keys(each));
    const files = {
      shell: this.siteContext.shellAssets,
      ...(released && { [released.section.name]: released.section.entry }),
    };
    const openers = Object.entries(files).filter(([owner]) => filled.some((point) => point.startsWith(`${owner}/`)));
    const lists = await Promise.all(openers.map(([, file]) => readExtensionList(site, file)));
    const points = lists.flatMap((list) => list?.extensionPoints ?? []);
    await this.#tryExtensions(
      pagePath,
      points.map((point) => [referenceOf(point), point.examples]),
    );
  }

  /** Renders each extension under development of these points, up to the first props with a problem. */
  async #tryExtensions(pagePath: string, points: readonly PropsOfPoint[]): Promise<void> {
    if (!this.siteContext) return;
    this.#points.set(pagePath, points);
    const { site, shellAssets } = this.siteContext;
    const shell = await this.#shells.get(shellAssets);
    const script = path.join(shell.folder, shell.server);
    for (const [name, section] of this.#sections) {
      const extensions = await section.extensions();
      for (const [point, all] of points.filter(([each]) => extensions[each])) {
        const { serverBuild: build } = section;
        const key = `${pagePath} ${name} ${point}`;
        for (const [index, props] of all.entries()) {
          const extension = { section: name, point, props };
          const request = { extension, site: this.withNavigation(site), config: this.configs()[name] ?? {} };
          const { problems, exceedsLimit } = await this.#renderWithResults(
            section,
            script,
            request,
            `${key} ${String(index)}`,
          );
          this.#recordRender(key, { section, build, problems, exceedsLimit });
          if (problems.length > 0) break;
        }
      }
    }
  }

  async #renderWithResults(
    section: DevelopmentSection,
    shell: string,
    request: RenderRequest | ExtensionRequest,
    key: string,
  ): Promise<RenderedPage> {
    const [pagePath = ""] = key.split(/[? ]/, 1);
    const first = await section.render(shell, request, pagePath);
    if (!first.rendered || !("queries" in first.rendered)) return first;
    const { queries } = first.rendered;
    const earlier = this.#queries.get(key);
    const isKnown = earlier && JSON.stringify(earlier.queries) === JSON.stringify(queries);
    const results = isKnown ? earlier.results : await runQueries(this.#routes, queries);
    this.#queries.set(key, { queries, results });
    return section.render(shell, { ...request, results }, pagePath);
  }

  /** Compares the view of a path with the view that an earlier build of this section rendered. */
  async compareView(pagePath: string, section: DevelopmentSection, build: string): Promise<ViewChange> {
    const pathname = pagePath.split("?")[0] ?? "";
    const page = this.find(pathname, null);
    if (page?.section !== section) {
      void this.#tryExtensions(pathname, this.#points.get(pathname) ?? []).catch(() => undefined);
      return { changed: false, build: section.serverBuild, exceedsLimit: false };
    }
    await section.idle();
    const last = this.#renders.get(pagePath);
    if (build === section.serverBuild && last?.section === section && last.build === build)
      return { changed: false, build, exceedsLimit: last.exceedsLimit };
    const earlierView = this.#views.get(viewKey(build, pagePath));
    // With the same results of queries: only the edit can change the view.
    const { rendered, build: current, exceedsLimit } = await this.#render(page, pagePath);
    const key = viewKey(current, pagePath);
    if (rendered) return { changed: this.#views.get(key) !== earlierView, build: current, exceedsLimit };
    // The render failed. The view of the next build is compared with the earlier view.
    if (earlierView !== undefined) this.#record(key, earlierView);
    return { changed: false, build: current, exceedsLimit };
  }

  #record(key: string, digest: string): void {
    this.#views.set(key, digest);
    const [oldest] = this.#views.keys();
    if (this.#views.size > MAX_VIEWS && oldest !== undefined) this.#views.delete(oldest);
  }

  /** The problems of the pages that were rendered with the current builds. */
  problems(): readonly DevelopmentProblem[] {
    return [...this.#renders.values()]
      .filter(({ section, build }) => section.serverBuild === build)
      .flatMap(({ problems }) => problems);
  }
}

function viewKey(build: string, pagePath: string): string {
  return `${build} ${pagePath}`;
}

function digestOf(rendered: Rendered | RenderedRedirect): string {
  const view = "view" in rendered ? rendered.view : rendered.location;
  return createHash("sha256").update(JSON.stringify(view)).digest("base64");
}
