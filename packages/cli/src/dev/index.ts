import { rm } from "node:fs/promises";
import path from "node:path";

import { satisfies } from "semver";

import { loadAdopted } from "../adopt/adopt.js";
import { UsageError, type SectionConfig } from "../build/config.js";
import { formatProblem } from "../build/formatProblem.js";
import { installedVersions, neededRanges, type SharedVersions } from "../build/shared.js";
import { isSimilar } from "../check/problem.js";
import { readSite } from "./document.js";
import { findIncompleteTypes } from "./incompleteTypes.js";
import { LocalTypes } from "./localTypes.js";
import { DevelopmentPages, type SiteContext } from "./pages.js";
import type { DevelopmentProblem } from "./problem.js";
import { Proxy } from "./proxy.js";
import { DevelopmentSection, type BuildTargetOf, type SectionEvents } from "./section.js";
import { CLIENT_SCRIPT, DevelopmentServer, ERRORS_PAGE } from "./server.js";
import { Shells, type LocalShell } from "./shells.js";
import { createTemporaryFolder } from "./temporaryFolder.js";
import { TypeCheck } from "./typeCheck.js";

/** Options of {@link develop}. */
interface DevelopOptions {
  /** Folders of the sections. */
  readonly folders: readonly string[];
  /** Origin of the site. */
  readonly site: string;
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** URLs by the name after `/api/`. */
  readonly apis: ReadonlyMap<string, string>;
  /** Returns what the site last said to the section in a folder: budgets, policy, shared packages. Undefined if never asked. */
  readonly buildTargetOf: BuildTargetOf;
  /** Prints a line. */
  readonly print: (line: string) => void;
}

/** A section of a running development server. */
interface ServedSection {
  readonly name: string;
  /** URL of its first page without params, or of the site. */
  readonly url: string;
}

/** A running development server. */
export interface Development {
  readonly url: string;
  readonly sections: readonly ServedSection[];
  close(): Promise<void>;
}

/**
 * Serves a site with development builds of some sections. A change of a source rebuilds its section.
 *
 * @throws UsageError if the site, a section or the port cannot be used.
 */
export async function develop(options: DevelopOptions): Promise<Development> {
  const session = new DevelopmentSession(options, await createTemporaryFolder());
  try {
    return await session.start();
  } catch (error) {
    await session.close();
    throw error;
  }
}

/** The sections under development, the server that shows them, and their problems in the terminal. */
class DevelopmentSession {
  readonly #options: DevelopOptions;
  readonly #temporary: string;
  readonly #sections = new Map<string, DevelopmentSection>();
  readonly #typeChecks: TypeCheck[] = [];
  readonly #closing = new AbortController();
  #types: LocalTypes | undefined;
  readonly #shells: Shells;
  readonly #pages: DevelopmentPages;
  readonly #server: DevelopmentServer;
  /** The problems that the terminal shows. */
  #printed = new Set<string>();
  /** URL of the page that explains the codes. */
  #guide: string | undefined;

  constructor(options: DevelopOptions, temporary: string) {
    const { site, apis } = options;
    const [sections, client] = [this.#sections, CLIENT_SCRIPT];
    this.#options = options;
    this.#temporary = temporary;
    const shells = new Shells(site, path.join(temporary, "shells"));
    const pages = new DevelopmentPages(sections, shells, { site, apis }, this.#update);
    this.#shells = shells;
    this.#pages = pages;
    this.#server = new DevelopmentServer({
      proxy: new Proxy({ site, shells, pages, sections: () => [...sections.keys()], apis, client }),
      shells,
      pages,
      sections,
      problems: () => this.#problems(),
      onBrowserProblem: (problem) => {
        // The terminal already shows the error if the server threw it at the same place.
        const { location } = problem;
        const isKnown = location !== undefined && this.#problems().some((known) => known.location === location);
        if (!isKnown) options.print(`\n${formatProblem(problem, this.#guide)}`);
      },
    });
  }

  /** Builds the sections, and serves them. */
  async start(): Promise<Development> {
    const { folders, site, port, host, buildTargetOf } = this.#options;
    const configs = await readConfigs(folders);
    const { siteContext, shell } = await readSiteContext(site, this.#shells);
    this.#pages.siteContext = siteContext;
    for (const [folder, { name }] of configs) checkShared(name, neededRanges(installedVersions(folder)), shell);
    // The server listens before the builds start, so that a port in use is reported at once.
    const url = await this.#server.listen(port, host);
    this.#guide = url + ERRORS_PAGE;
    const types = new LocalTypes(configs, path.join(this.#temporary, "types"), this.#onTypesError);
    this.#types = types;
    for (const [folder, config] of configs) {
      const { name } = config;
      const output = path.join(this.#temporary, "sections", name);
      const events = this.#sectionEvents(() => {
        types.update(folder);
      });
      this.#sections.set(name, new DevelopmentSection(folder, config, output, events, buildTargetOf));
      void this.#checkTypes(types, folder, config);
    }
    await this.#pages.idle();
    const sections = [...this.#sections.values()].map(({ name, firstPath }) => ({ name, url: url + firstPath }));
    return { url, sections, close: () => this.close() };
  }

  /** `onRebuild` is called after each build for the browser but the first. */
  #sectionEvents(onRebuild: () => void): SectionEvents {
    let isBuilt = false;
    return {
      onBuild: (name, what, milliseconds) => {
        this.#options.print(`${name}: ${what} built in ${String(milliseconds)} ms`);
        if (what !== "server" && isBuilt) onRebuild();
        isBuilt ||= what !== "server";
      },
      onChange: this.#update,
      onWeight: (name, description) => {
        this.#options.print(`${name}: ${description}`);
      },
    };
  }

  /**
   * Writes the types of other sections, and then checks those of a section: the compiler does not
   * notice that the folder of types is replaced. A section builds without the types of others, so a
   * failure is only a warning.
   */
  async #checkTypes(types: LocalTypes, folder: string, config: SectionConfig): Promise<void> {
    const { site, print } = this.#options;
    const { signal } = this.#closing;
    await types.fetch(folder, config, site).catch(this.#onTypesError);
    if (signal.aborted) return;
    this.#typeChecks.push(new TypeCheck(folder, config.name, this.#update));
    const warnings = await findIncompleteTypes(folder, signal).catch((error: unknown) => [textOf(error)]);
    if (!this.#closing.signal.aborted) for (const warning of warnings) print(`\n${config.name}: warning: ${warning}`);
  }

  readonly #onTypesError = (error: unknown): void => {
    if (!this.#closing.signal.aborted)
      this.#options.print(`the types of other sections are not up to date: ${textOf(error)}`);
  };

  async close(): Promise<void> {
    this.#closing.abort();
    for (const check of this.#typeChecks) check.close();
    await Promise.all([
      this.#types?.close(),
      this.#server.close(),
      ...[...this.#sections.values()].map((section) => section.close()),
    ]);
    await rm(this.#temporary, { recursive: true, force: true });
  }

  #problems(): DevelopmentProblem[] {
    const buildProblems = [...this.#sections.values()].flatMap((section) => section.problems);
    // A syntax error or a missing module causes type errors.
    const failed = new Set(
      buildProblems.filter(({ kind }) => kind === "syntax" || kind === "build").map(({ section }) => section),
    );
    const typeProblems = this.#typeChecks.flatMap((check) => check.problems);
    // A render finds again what is in the sources.
    const isNew = (found: DevelopmentProblem): boolean => !buildProblems.some((known) => isSimilar(found, known));
    return [
      ...buildProblems,
      ...typeProblems.filter(({ section }) => !failed.has(section)),
      ...this.#pages.problems().filter(isNew),
    ];
  }

  /** Prints the problems that are new, and tells the pages. */
  readonly #update = (): void => {
    const { print } = this.#options;
    const texts = new Set(this.#problems().map((problem) => formatProblem(problem, this.#guide)));
    for (const text of texts) if (!this.#printed.has(text)) print(`\n${text}`);
    if (this.#printed.size > 0 && texts.size === 0) print("\nno problems");
    this.#printed = texts;
    this.#server.broadcast();
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Checks the site. Returns the context and the shell of its home page. */
async function readSiteContext(
  site: string,
  shells: Shells,
): Promise<{ readonly siteContext: SiteContext; readonly shell: LocalShell }> {
  const { status, document } = await readSite(site);
  if (!document)
    throw new UsageError(
      `${site} responded with status ${String(status)} and no page of a Colonnade site; expected the URL of a site ` +
        "with a deployment",
    );
  const { boot, shellAssets } = document;
  return { siteContext: { site: boot.site, shellAssets }, shell: await shells.get(shellAssets) };
}

/** Checks the shared packages as a deployment does: the shell must provide versions that the section accepts. */
function checkShared(section: string, ranges: SharedVersions, { version, shared }: LocalShell): void {
  for (const [name, range] of Object.entries(ranges)) {
    const provided = shared[name];
    if (provided === undefined || !satisfies(provided, range, { includePrerelease: true }))
      throw new UsageError(
        `the section "${section}" needs ${name} ${range}, but the site's shell ${version} provides ` +
          `${provided ?? "none"}; install the version that the shell provides`,
      );
  }
}

// What to do in the folder of a shell.
const SHELL_HELP =
  "and this command serves sections; build, publish and deploy the shell to a gateway on this machine (`make example-shell` in " +
  "Colonnade's repository does this for the example), then run `colonnade dev --site <its URL>` in the folder of a section";

/** Reads the configurations of sections, by folder. */
async function readConfigs(folders: readonly string[]): Promise<Map<string, SectionConfig>> {
  const configs = new Map<string, SectionConfig>();
  const foldersByName = new Map<string, string>();
  for (const folder of folders) {
    const config = await loadAdopted(folder);
    const { name, kind } = config;
    if (kind === "shell") throw new UsageError(`${folder} contains a shell, ${SHELL_HELP}`);
    const earlierFolder = foldersByName.get(name);
    if (earlierFolder !== undefined)
      throw new UsageError(
        `${earlierFolder} and ${folder} contain the section "${name}"; expected sections of different names`,
      );
    foldersByName.set(name, folder);
    configs.set(folder, config);
  }
  return configs;
}
