import { readFile } from "node:fs/promises";
import path from "node:path";

import type { NavigationEntry } from "@colonnade/kit";
import type {
  Asset,
  ExposedModule,
  ExtensionRequest,
  RemoteDetails,
  RemoteSection,
  RenderRequest,
  RenderResult,
  ResolvedExtension,
  ResolvedPage,
  SectionEntry,
} from "@colonnade/kit/shell";
import { placeholderSettings } from "../build/settings.js";
import type { BuildTarget } from "../build/buildTarget.js";
import { ownBuild } from "../build/commandConfig.js";
import type { SectionConfig } from "../build/config.js";
import { readEntry, type EntryImports } from "../build/entry.js";
import { exposedChunk } from "../build/exposes.js";
import { withFrame } from "../build/formatProblem.js";
import { patternProblem } from "../build/pattern.js";
import type { ContentPolicy } from "../build/policy.js";
import { digestOf } from "../build/release.js";
import { installedVersions } from "../build/shared.js";
import { sectionFiles } from "../check/bundle.js";
import { problemsOf } from "../check/check.js";
import type { ProblemCode } from "../check/codes.js";
import { atImport } from "../check/packageImport.js";
import { readPositions } from "../check/positions.js";
import { errorsIn, type Problem } from "../check/problem.js";
import { Renderer } from "../check/renderer.js";
import { unpermitted } from "../check/permission.js";
import { SourceProblems } from "../check/sources.js";
import { findStyleProblems } from "../check/styles.js";
import { comparePatterns, isStaticPattern, matchPath } from "@colonnade/kit/contract";
import { WebpackBuilds, type OnBuild, type SectionBuilds } from "./builds.js";
import { adoptedBuilds } from "./adoptedBuilds.js";
import { CommandBuilds } from "./commandBuilds.js";
import type { DevelopmentProblem, DevelopmentProblemKind } from "./problem.js";
import { Weights } from "./weights.js";

/** The version of every release that `colonnade dev` serves. */
const VERSION = "development";

/** A rendered page, and the problems that rendering it found. */
export interface RenderedPage {
  readonly rendered: RenderResult | null;
  readonly problems: readonly DevelopmentProblem[];
  /** Whether rendering the page exceeds the limit of CPU time. */
  readonly exceedsLimit: boolean;
}

/** Callbacks of {@link DevelopmentSection}. */
export interface SectionEvents {
  /** A build ended. */
  readonly onBuild: (section: string, ...built: Parameters<OnBuild>) => void;
  /** Builds or problems changed. */
  readonly onChange: () => void;
  /** The packages of a page or extension are larger than its budget. */
  readonly onWeight: (section: string, description: string) => void;
}

/** Reads the build target of the section in a folder. */
export type BuildTargetOf = (folder: string) => Promise<BuildTarget | undefined>;

/** A section under development: its builds for the browser and for the server, and its renderer. */
export class DevelopmentSection {
  readonly #builds: SectionBuilds;
  readonly #sources: SourceProblems;
  readonly #output: string;
  readonly #buildTargetOf: BuildTargetOf;
  // Includes the files of earlier builds, because open pages update from them.
  readonly #files = new Set<string>();
  /** What the documents of the section may do: what it needs, and what the site permits. */
  policies: readonly ContentPolicy[] = [];
  #reading = Promise.resolve();
  readonly #weights = new Weights();
  #weighing = Promise.resolve();
  #imports: EntryImports = { pages: new Map(), extensions: new Map(), navigation: [] };
  #renderer: { readonly shell: string; readonly renderer: Renderer } | undefined;
  /** Problems of the builds and the sources. Problems of rendering are not included. */
  problems: readonly DevelopmentProblem[] = [];

  /** Starts to build a section. `output` receives the builds. */
  constructor(
    /** Folder of the package. */
    readonly folder: string,
    readonly config: SectionConfig,
    output: string,
    events: SectionEvents,
    buildTargetOf: BuildTargetOf,
  ) {
    this.#output = output;
    this.#buildTargetOf = buildTargetOf;
    const own = ownBuild(config);
    this.#sources = new SourceProblems(folder, false, own && path.join(folder, own.output));
    const installed = installedVersions(folder);
    const identity = { version: VERSION, container: this.#container, inputs: "" };
    const context = { folder, output, config, identity, installed, mode: { final: false } };
    const onBuild: OnBuild = (what, milliseconds) => {
      events.onBuild(this.name, what, milliseconds);
      this.#reading = this.#readBuilds().then(events.onChange);
      // Nothing waits for it.
      this.#weighing = Promise.all([this.#reading, this.#weighing]).then(() => this.#weigh(events));
    };
    const start = (current: SectionConfig): SectionBuilds =>
      new WebpackBuilds({ ...context, config: current }, this.#serverOutput, this.#sources, onBuild);
    const { build } = config;
    if (own) this.#builds = new CommandBuilds(own, context, this.#serverOutput, this.#sources, onBuild);
    else if (build && "remote" in build) this.#builds = adoptedBuilds(folder, build.remote, start, onBuild);
    else this.#builds = start(config);
  }

  get name(): string {
    return this.config.name;
  }

  get #container(): string {
    return `${this.name.replaceAll("-", "_")}_${VERSION}`;
  }

  get #serverOutput(): string {
    return path.join(this.#output, "server");
  }

  /** URL path of the folder of the section's files. */
  get assets(): string {
    return `/assets/${this.name}/${VERSION}/`;
  }

  /** Hash of the last build for the browser that succeeded. */
  get clientBuild(): string {
    return this.#builds.latest.client;
  }

  /** Hash of the last build for the server that succeeded. */
  get serverBuild(): string {
    return this.#builds.latest.server;
  }

  /** Resolves when no build runs. */
  async idle(): Promise<void> {
    await this.#builds.idle();
    await this.#reading;
  }

  async #readBuilds(): Promise<void> {
    for (const file of this.#builds.latest.names) this.#files.add(file);
    this.policies = [this.config.policy ?? {}, (await this.#buildTargetOf(this.folder))?.policy ?? {}];
    const problems = [...this.#builds.problems()];
    try {
      this.#imports = await readEntry(path.resolve(this.folder, this.config.entry));
    } catch (error) {
      // The builds by webpack report the error, with its position.
      if (ownBuild(this.config)) problems.push({ kind: "build", message: (error as Error).message });
    }
    const builds = problems.map((problem) => ({ ...problem, section: this.name }));
    const { folder, config } = this;
    const { compilation, written } = this.#builds.latest;
    const styles = compilation ? await findStyleProblems({ folder, config, written }, compilation) : [];
    // Warnings do not replace a page by the overlay.
    const sources = unpermitted(errorsIn([...this.#sources.problems(), ...styles]), ...this.policies).map((problem) =>
      this.#describe(problem),
    );
    this.problems = await this.#distinctWithFrames([...builds, ...sources]);
  }

  async #weigh({ onWeight }: SectionEvents): Promise<void> {
    const { files } = this.#builds.latest;
    if (!files) return;
    const buildTarget = await this.#buildTargetOf(this.folder);
    const context = { folder: this.folder, output: this.#output, config: this.config, buildTarget };
    // A command that runs again may replace the files meanwhile. Its end weighs them.
    const lines = await this.#weights.changed(context, files, this.#imports).catch(() => []);
    for (const line of lines) onWeight(this.name, line);
  }

  #describe({ code, message, help, location }: Problem, page?: string): DevelopmentProblem {
    return {
      kind: categoryOf(code),
      section: this.name,
      code,
      message,
      ...(help !== undefined && { help }),
      ...(location !== undefined && { location }),
      ...(page !== undefined && { path: page }),
    };
  }

  /** The path of the first page without params. The site's home page if there is none. */
  get firstPath(): string {
    return [...this.#imports.pages.keys()].find(isStaticPattern) ?? "/";
  }

  /** The links that it contributes to the navigation. */
  get navigation(): readonly NavigationEntry[] {
    return this.#imports.navigation;
  }

  /** The pattern of the page at a path. */
  patternOf(pagePath: string): string | undefined {
    return [...this.#imports.pages.keys()]
      .filter((pattern) => patternProblem(pattern) === null && matchPath(pattern, pagePath))
      .sort(comparePatterns)[0];
  }

  /** What the shell loads for a page. */
  async resolve(pattern: string): Promise<ResolvedPage> {
    return { ...(await this.#resolved(this.#imports.pages.get(pattern) ?? "", pattern)), pattern };
  }

  /** What the shell loads for each extension, by the reference of its point. */
  async extensions(): Promise<Record<string, ResolvedExtension>> {
    const extensions: Record<string, ResolvedExtension> = {};
    for (const [point, request] of this.#imports.extensions) extensions[point] = await this.#resolved(request, point);
    return extensions;
  }

  /** The section as others load it. */
  async remote(): Promise<RemoteSection> {
    const exposes: Record<string, ExposedModule> = {};
    for (const name of Object.keys(this.config.exposes ?? {})) exposes[name] = {};
    // Without a digest: the build can change before a page loads the module.
    return { ...(await this.#entry([])), integrity: "", exposes };
  }

  /** What the modules that the section exposes need. */
  remoteDetails(): RemoteDetails {
    const { files } = this.#builds.latest;
    const assets: Record<string, readonly Asset[]> = {};
    if (files)
      for (const name of Object.keys(this.config.exposes ?? {}))
        assets[name] = this.#styles(files.assets.moduleFiles(exposedChunk(name)).first);
    return { assets };
  }

  async #resolved(request: string, name: string): Promise<ResolvedExtension> {
    const { common = [], assetsOf } = this.#builds.latest.files?.assets ?? {};
    return { section: await this.#entry(common), assets: this.#styles(assetsOf?.(request, name) ?? []) };
  }

  async #entry(common: readonly string[]): Promise<SectionEntry> {
    const { entry = "client/entry.js" } = this.#builds.latest.files ?? {};
    const script = await readFile(path.join(this.#output, entry)).catch(() => "");
    return {
      name: this.name,
      version: VERSION,
      container: this.#container,
      entry: this.assets + path.posix.relative("client", entry),
      integrity: digestOf(script),
      assets: this.#styles(common),
    };
  }

  // Stylesheets have no digest, because hot updates replace them. The container loads its scripts without a list.
  #styles(files: readonly string[]): Asset[] {
    return files
      .filter((file) => file.endsWith(".css"))
      .map((file) => file.replace(/^client\//, ""))
      .map((name) => ({ href: this.assets + name, name, integrity: "", type: "style" }));
  }

  /** The path of a file that browsers may load. Undefined if no build has emitted it. */
  file(name: string): string | undefined {
    return this.#files.has(name) ? path.join(this.#output, "client", name) : undefined;
  }

  /** Renders a page, or tries an extension of the page at `pagePath`, by the rules of the gateway's sandbox. `shell` is the path of the shell's script. */
  async render(shell: string, request: RenderRequest | ExtensionRequest, pagePath: string): Promise<RenderedPage> {
    const build = this.serverBuild;
    if (build === "") return { rendered: null, problems: [], exceedsLimit: false };
    const { rendered, reports } = await this.#rendererOf(shell).render({ build, request });
    if (reports.length === 0) return { rendered, problems: [], exceedsLimit: false };
    const entry = path.resolve(this.folder, this.config.entry);
    const positionOf = await readPositions(this.folder, entry, sectionFiles(this.#serverOutput).map);
    const { compilation } = this.#builds.latest;
    const found = reports.flatMap((report) =>
      problemsOf(report, { positionOf, locationOf: (part) => this.#sources.locationOf(part) }),
    );
    const problems = unpermitted(found, ...this.policies)
      .map((problem) => (compilation ? atImport(this.folder, compilation, problem) : problem))
      .map((problem) => this.#describe(problem, pagePath));
    const exceedsLimit = reports.some(({ kind }) => kind === "timeout");
    return { rendered, problems: await this.#distinctWithFrames(problems), exceedsLimit };
  }

  async #distinctWithFrames(problems: readonly DevelopmentProblem[]): Promise<DevelopmentProblem[]> {
    return Promise.all(distinct(problems).map((problem) => withFrame(this.folder, problem)));
  }

  #rendererOf(shell: string): Renderer {
    const current = this.#renderer;
    if (current?.shell === shell) return current.renderer;
    void current?.renderer.close();
    const renderer = new Renderer({
      shared: shell,
      bundle: sectionFiles(this.#serverOutput).file,
      reports: path.join(this.#output, "reports.jsonl"),
      name: this.name,
      settings: placeholderSettings(this.config),
    });
    this.#renderer = { shell, renderer };
    return renderer;
  }

  async close(): Promise<void> {
    await Promise.all([this.#builds.close(), this.#renderer?.renderer.close(), this.#weighing]);
  }
}

function categoryOf(code: ProblemCode): DevelopmentProblemKind {
  if (/^COL1(00|[167]\d)$/.test(code)) return "render";
  return code.startsWith("COL12") ? "policy" : "purity";
}

function distinct(problems: readonly DevelopmentProblem[]): DevelopmentProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.location ?? ""} ${problem.message}`, problem])).values()];
}
