import { writeFile } from "node:fs/promises";
import path from "node:path";

import { readEntry, readModules } from "../build/entry.js";
import type { BuildContext } from "../build/context.js";
import { examplesIn, type ReleaseExamples } from "../build/examples.js";
import type { ReleaseExtensionPoint } from "../build/release.js";
import { placeholderSettings } from "../build/settings.js";
import type { ApiRoutes } from "../dev/queries.js";
import { inTemporaryFolder } from "../build/temporaryFolder.js";
import { findWithoutBasename } from "./appRouter.js";
import { compileOwnScripts, compileSection, compileShared, sectionFiles, type SectionBundle } from "./bundle.js";
import { classifyError } from "./classify.js";
import { findDenied } from "./denied.js";
import { inspectPages } from "./dom.js";
import { MAX_EXAMPLES_FILE, MAX_PATHS } from "./limits.js";
import { brokenLink, sortLinks } from "./links.js";
import { atImport, isInPackage } from "./packageImport.js";
import { mergePoints } from "./listedPoints.js";
import { extensionTasks, findBroken, findUnshown, type KnownLive } from "./liveExtensions.js";
import { findInNavigation } from "./navigation.js";
import { unpermitted } from "./permission.js";
import { readPositions, type Positions } from "./positions.js";
import { isSimilar, problemOf, Problems, warnedOfHashes, type Problem } from "./problem.js";
import { CheckProcesses, inParallel } from "./processes.js";
import type { CheckedPage, Report, SandboxScripts } from "./report.js";
import { findWithoutResults, readResults } from "./siteResults.js";

/** What a section declares in its code. */
export interface DeclaredParts {
  /** The pages by pattern. */
  readonly pages: ReadonlyMap<string, CheckedPage>;
  /** The extension points that they open. */
  readonly points: readonly ReleaseExtensionPoint[];
  /** The order of each extension, by the reference of its point. */
  readonly orders: ReadonlyMap<string, number>;
  readonly examples: ReleaseExamples;
}

/** Result of {@link check}. */
export interface CheckResult {
  readonly problems: readonly Problem[];
  /** What the section declares in its code. Complete if no problem is an error; undefined if the build cannot read it. */
  readonly declared: DeclaredParts | undefined;
}

/** What a check takes from a running site. */
export interface CheckedAgainst extends KnownLive {
  /** Where queries are sent. Pages and extensions are also checked with their results. */
  readonly routes?: ApiRoutes;
}

/**
 * Renders a section's pages by the rules of the gateway's sandbox and finds all violations. Calls `data` and `head` for
 * each listed path.
 *
 * @throws UsageError if the section does not compile.
 */
export async function check(context: BuildContext, against: CheckedAgainst = {}): Promise<CheckResult> {
  return inTemporaryFolder(async (folder) => {
    const { name } = context.config;
    const scripts = { shared: path.join(folder, "shared.js"), bundle: sectionFiles(folder).file };
    const processes = new CheckProcesses(folder, { ...scripts, name, settings: placeholderSettings(context.config) });
    try {
      return await checkIn({ temporary: folder, scripts, processes }, context, against);
    } finally {
      await processes.close();
    }
  });
}

interface CheckTools {
  /** Folder of the compiled section. */
  readonly temporary: string;
  readonly scripts: SandboxScripts;
  readonly processes: CheckProcesses;
}

async function checkIn(
  { temporary, scripts, processes }: CheckTools,
  context: BuildContext,
  { live, trial, routes }: CheckedAgainst,
): Promise<CheckResult> {
  const { folder, config } = context;
  const entry = path.resolve(folder, config.entry);
  await writeFile(scripts.shared, await compileShared(context, temporary));
  const bundle = await compileSection(context, temporary);
  // Without a valid declaration there are no pages to run.
  if (bundle.problems.some(({ code }) => code === "COL100")) return { problems: bundle.problems, declared: undefined };
  // After the compilation, which reports syntax errors with their positions.
  const { pages, extensions, navigation } = await readEntry(entry);
  const positionOf = await readPositions(folder, entry, bundle.map);
  const positions = { positionOf, locationOf: bundle.locationOf };
  const patterns = [...pages.keys()];
  const sectionReports = await processes.run({ pattern: null });
  // A failure to load would repeat on every page.
  const isLoaded = sectionReports.every(({ kind }) => kind === "violation");
  const pageReports = isLoaded ? await inParallel(patterns, (pattern) => processes.run({ pattern })) : [];
  const problems = new Problems();
  const checkedPages = new Map<string, CheckedPage>();
  const opened: ReleaseExtensionPoint[] = [];
  for (const [index, reports] of pageReports.entries())
    for (const report of reports)
      if (report.kind === "page") {
        checkedPages.set(patterns[index] ?? "", report.page);
        opened.push(...report.points);
      }
  const listed = [...checkedPages.values()].flatMap((page) => page.paths);
  if (listed.length > MAX_PATHS) problems.add(tooManyPaths(listed.length, bundle.locationOf("pages")));
  const { points, problems: faultsOfPoints } = mergePoints(opened, bundle.locationOf("pages"));
  const { name } = config;
  const tasks = isLoaded ? extensionTasks([...extensions.keys()], { name, points }, live ?? []) : [];
  const extensionReports = await inParallel(tasks, (extension) => processes.run({ pattern: null, extension }));
  const addReports = (reports: readonly Report[]): void => {
    for (const report of reports) addReport(report, positions, problems);
  };
  const ownReports = [sectionReports, ...pageReports, ...extensionReports].flat();
  const real = routes && (await readResults(ownReports, routes));
  const realReports = await inParallel(real?.tasks ?? [], (task) => processes.run(task));
  const reports = [ownReports, ...realReports].flat();
  const examples = examplesIn(reports, points, positions);
  const exampleBytes = Buffer.byteLength(JSON.stringify(examples));
  if (exampleBytes > MAX_EXAMPLES_FILE) problems.add(tooLargeExamples(exampleBytes, bundle.locationOf("pages")));
  addReports(reports);
  const rendered = reports
    .filter((report) => report.kind === "rendered")
    .map(({ stack, ...report }) => ({ ...report, location: positionOf(stack) }));
  const allPages = checkedPages.size === pages.size ? checkedPages : undefined;
  const faultsOfLinks = findInNavigation(navigation, allPages, bundle.locationOf);
  const hasApps = patterns.some((pattern) => pattern.endsWith("/*"));
  const compilation = context.written && hasApps ? await compileOwnScripts(context, temporary) : bundle.compilation;
  const faultsOfApps = compilation
    ? findWithoutBasename({ folder, entry, parts: await readModules(entry), compilation })
    : [];
  const { links, faults } = await inspectPages(rendered);
  const checked = new Set([...patterns, ...listed.map((each) => each.path)]);
  const searchNames = new Map(patterns.map((pattern) => [pattern, checkedPages.get(pattern)?.search ?? []]));
  const sorted = sortLinks(links, searchNames, checked);
  const faultsOfResults = [...(real?.problems ?? []), ...findWithoutResults(reports, real?.tasks ?? [], positionOf)];
  const found = [faultsOfPoints, faultsOfLinks, faultsOfApps, faults, sorted.problems, faultsOfResults];
  for (const problem of found.flat()) problems.add(problem);
  const linkReports = sorted.targets.length > 0 ? await processes.run({ pattern: null, links: sorted.targets }) : [];
  addReports(linkReports);
  for (const report of linkReports) {
    const from = report.kind === "notFound" && sorted.sources.get(report.path);
    if (from) problems.add(brokenLink(report, from));
  }
  // A render finds again what is in the sources.
  problems.remove((problem) => bundle.problems.some((known) => isSimilar(problem, known)));
  for (const problem of bundle.problems) problems.add(problem);
  const orders = ordersIn(reports);
  if (live) for (const problem of findUnshown({ name, points, orders }, live, bundle.locationOf)) problems.add(problem);
  const release = { name, version: context.identity.version, points };
  const known = { ...(live && { live }), ...(trial && { trial }) };
  for (const problem of await findBroken(release, known, bundle.locationOf)) problems.add(problem);
  for (const problem of findDenied(context)) problems.add(problem);
  return {
    problems: relevantProblems(context, bundle, problems),
    declared: { pages: checkedPages, points, orders, examples },
  };
}

/** Returns what no policy permits, once for each cause, and what packages do at the line of their import. */
function relevantProblems(
  { folder, config, buildTarget }: BuildContext,
  bundle: SectionBundle,
  problems: Problems,
): readonly Problem[] {
  const policies = [config.policy, buildTarget?.policy];
  const unpermittedOf = (all: readonly Problem[]): Problem[] =>
    unpermitted(
      all.map((problem) => warnedOfHashes(problem, policies)),
      ...policies,
    );
  const causes = unpermittedOf(problems.sorted().filter((problem) => !isCaused(problem, bundle.problems)));
  const located = causes.map((problem) => atImport(folder, bundle.compilation, problem));
  // One of a kind for each import, and for each host and feature.
  const warnings = new Problems();
  for (const warning of unpermittedOf(bundle.warnings))
    if (!located.some((known) => isSimilar(known, warning))) warnings.add(warning, warning.permission?.value ?? "");
  return [...located, ...warnings.sorted()];
}

function ordersIn(reports: readonly Report[]): ReadonlyMap<string, number> {
  const orders = new Map<string, number>();
  for (const report of reports) if (report.kind === "extension") orders.set(report.point, report.order);
  return orders;
}

function tooManyPaths(count: number, location: string | undefined): Problem {
  const message = `the pages of the section list ${String(count)} paths; expected at most ${String(MAX_PATHS)}`;
  const advice = "Return the most important paths from paths(): a page also works at paths that are not listed.";
  return problemOf("COL100", message, location, advice);
}

function tooLargeExamples(bytes: number, location: string | undefined): Problem {
  const message = `the examples of the section have ${String(bytes)} bytes of JSON; expected at most ${String(MAX_EXAMPLES_FILE)}`;
  return problemOf("COL163", message, location, "Remove some of them, or shorten their results.");
}

/**
 * Whether a problem has its cause in the sources: the import of a style library creates its elements, and a page renders the elements
 * of the head.
 */
function isCaused(problem: Problem, sources: readonly Problem[]): boolean {
  const { code, help, location } = problem;
  const causes = sources.filter((source) => source.code === code && source.help === help && source !== problem);
  if (code === "COL115")
    return causes.some(({ message }) => problem.message.endsWith(message.replace("the section", "")));
  return code === "COL123" && (location === undefined || isInPackage(problem)) && causes.length > 0;
}

/** Returns the problems that a child process reported. */
export function problemsOf(report: Report, positions: Positions): readonly Problem[] {
  const problems = new Problems();
  addReport(report, positions, problems);
  return problems.sorted();
}

function addReport(report: Report, { positionOf, locationOf }: Positions, problems: Problems): void {
  switch (report.kind) {
    case "page":
    case "extension":
    case "rendered":
    case "notFound":
    case "example":
    case "noExamples":
    case "queries":
      return;
    case "thrown": {
      const { code, message } = classifyError(report.error);
      const location = positionOf(report.stack) ?? positionOf(report.ownStack ?? "");
      const isUnprepared = code === "COL110" && report.hasFailedQueries === true;
      const text = isUnprepared ? `${report.step} with failed queries ${message}` : `${report.step} ${message}`;
      problems.add(problemOf(isUnprepared ? "COL162" : code, text, location), message);
      return;
    }
    case "timeout": {
      const excess = `exceeded ${String(report.limit)} ms of CPU time: is there an endless loop?`;
      problems.add(problemOf("COL111", `${report.step} ${excess}`, positionOf(report.stack)), excess);
      return;
    }
    case "violation": {
      const { code, message, advice, permission, severity, stack = "", ownStack = "", part = "" } = report;
      // What passes a style on may be a component of the kit, without a position.
      const located = [stack].flat().flatMap((each) => positionOf(each) ?? []);
      for (const location of located.length > 0 ? located : [positionOf(ownStack) ?? locationOf(part)]) {
        const problem = problemOf(code, message, location, advice, permission);
        problems.add(
          severity ? { ...problem, severity } : problem,
          message.replace(/^.* contains | with example \d+/, ""),
        );
      }
    }
  }
}
