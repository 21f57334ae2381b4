// Checks pages and extensions of a section, each in a fresh sandbox. Its argument is a CheckJob, and its messages are CheckTasks.
import { appendFileSync } from "node:fs";

import type { ExampleResults } from "@colonnade/kit";

import type { ReleaseExtensionPoint, ReleasePath } from "../build/release.js";
import { stackOfFunction } from "./functionPosition.js";
import { referenceOf } from "./listedPoints.js";
import { describeThrown, settled } from "./outcome.js";
import { PAGE_MEMBERS, type PageMember } from "./pageMembers.js";
import type { CheckJob, CheckTask, ExtensionTask, GivenResults, LinkTarget, Report, Subject } from "./report.js";
import type { DescribedExample, DescribedExamples } from "./sandbox/examples.js";
import type { ExtensionCheck } from "./sandbox/extensionCheck.js";
import type { SectionCheck } from "./sandbox/index.js";
import type { ListedPaths, PageCheck } from "./sandbox/pageCheck.js";
import type { StepResult, Violation } from "./sandbox/violation.js";
import { createSandboxContext } from "./sandboxContext.js";
import { compileBundle, compileShared, runScripts, type SandboxGlobals } from "./sandboxScripts.js";
import { ToleratedUses } from "./toleratedUses.js";
import { LOAD_LIMIT, PATH_LIMIT, startWatchdog } from "./watchdog.js";

const job = JSON.parse(process.argv[2] ?? "") as CheckJob;
const watchdog = await startWatchdog(job.reports);

function report(found: Report): void {
  appendFileSync(job.reports, `${JSON.stringify(found)}\n`);
}

/** What steps that evaluate a module begin with. */
const LOADING = "loading ";

// State of the current task.
let takeBlocked: SandboxGlobals["colonnadeShared"]["takeBlocked"] = () => [];
const reportedStacks = new Set<string>();
let tolerated = new ToleratedUses();
let stepLimit = LOAD_LIMIT;
// Whether the queries of the current path fail.
let hasFailedQueries = false;

function startStep(step: string, limit: number): void {
  stepLimit = limit;
  watchdog.start(step, limit);
}

function reportThrown(step: string, thrown: unknown, ownStack?: string): void {
  const { name, message, stack } = describeThrown(thrown);
  // The same error on further paths of the page.
  const key = stack || message;
  if (reportedStacks.has(key)) return;
  reportedStacks.add(key);
  report({
    kind: "thrown",
    step,
    error: { name, message },
    stack,
    ...(ownStack !== undefined && { ownStack }),
    ...(hasFailedQueries && { hasFailedQueries }),
  });
}

function reportViolation({ problem, code = "COL100", advice, part }: Violation, stack?: string): void {
  report({
    kind: "violation",
    code,
    message: problem,
    ...(advice !== undefined && { advice }),
    ...(stack !== undefined && { stack }),
    ...(part !== undefined && { part }),
  });
}

/** What a step runs. It returns its problems, or null. */
type Step = () => StepResults | Promise<StepResults>;
type StepResults = StepResult | readonly Violation[];

/**
 * Runs a step of the section. False if the section threw or the step found a problem. `stackOf` returns a stack with the
 * position of that problem, or of an error whose own stack has no position.
 */
async function run(step: string, action: Step, stackOf?: () => string): Promise<boolean> {
  for (;;) {
    try {
      const result = await settled(action());
      const violations = [result ?? []].flat();
      for (const violation of violations) reportViolation(violation, stackOf?.());
      return violations.length === 0;
    } catch (thrown) {
      reportThrown(step, thrown, stackOf?.());
      const { message, stack } = describeThrown(thrown);
      // A module is not evaluated again.
      if (step.startsWith(LOADING) || !tolerated.add(message, stack)) return false;
      watchdog.start(step, stepLimit);
    }
  }
}

/** Runs a step within the limit of the step before. */
function runNext(step: string, action: Step, stackOf?: () => string): Promise<boolean> {
  watchdog.rename(step);
  return run(step, action, stackOf);
}

/** Runs a step with its own limit. */
async function runLimited(step: string, action: Step, limit = LOAD_LIMIT, stackOf?: () => string): Promise<boolean> {
  startStep(step, limit);
  const isDone = await run(step, action, stackOf);
  watchdog.stop();
  return isDone;
}

const shared = compileShared(job.shared);
const bundle = compileBundle(job.bundle);

/** Returns a stack with the position of the first of these members that is a function; empty if none is. */
function stackOfMember(page: Pick<PageCheck, "member">, ...members: readonly PageMember[]): string {
  const found = members.map((member) => page.member(member)).find((member) => typeof member === "function");
  return found === undefined ? "" : stackOfFunction(found);
}

/** The examples of a page or an extension, after the report of their problems. */
async function examplesOf(
  subject: Pick<PageCheck, "examples" | "member">,
  name: string,
): Promise<readonly DescribedExample[]> {
  let described: DescribedExamples = { examples: [], problems: [] };
  const stackOf = (): string => stackOfMember(subject, "examples");
  const step = `examples() of ${name}`;
  await runLimited(step, () => ((described = subject.examples()), null), LOAD_LIMIT, stackOf);
  for (const violation of described.problems) reportViolation(violation, stackOf());
  return described.examples;
}

/** Reports that each step runs `data` with failed queries. `source` is the pattern of the page, or the reference of the point. */
function reportNoExamples(subject: Pick<PageCheck, "member">, source: string, isExtension: boolean): void {
  if (subject.member("queries") !== undefined && subject.member("examples") === undefined)
    report({ kind: "noExamples", source, isExtension, stack: stackOfMember(subject, "queries") });
}

/** Reports which results do not belong to the queries of a page or an extension, and its paths for the site's results. */
async function reportResults(
  check: Pick<ExtensionCheck, "queryPaths" | "resultProblems">,
  subject: Subject,
  results: ExampleResults | undefined,
  stack: string,
): Promise<void> {
  report({ kind: "queries", subject, queries: check.queryPaths() });
  for (const violation of results ? await check.resultProblems(results) : []) reportViolation(violation, stack);
}

async function checkPage(
  section: SectionCheck,
  pattern: string,
  given: readonly GivenResults[] | undefined,
): Promise<void> {
  const page = section.page(pattern);
  const stackOfPage = (): string => stackOfMember(page, ...PAGE_MEMBERS);
  if (!(await runLimited(`loading the page ${pattern}`, () => page.load(), LOAD_LIMIT, stackOfPage))) return;
  const stackOfComponent = stackOfMember(page, page.isBrowserOnly() ? "fallback" : "Component");
  reportBlocked(`the page ${pattern}`);
  for (const { subject, results } of given ?? [])
    if ("path" in subject)
      await checkPath(page, { ...subject, listed: false, isRendered: true, stackOfComponent, example: REAL, results });
  if (given) return;
  const points = describePoints(page, stackOfComponent);
  reportNoExamples(page, pattern, false);
  let list: ListedPaths = { listed: true, paths: [] };
  const listPaths = (): StepResult => {
    list = page.paths();
    return list.problem === undefined ? null : { problem: list.problem };
  };
  const stackOfPaths = (): string => stackOfMember(page, "paths");
  const hasPaths = await runLimited(`paths() of the page ${pattern}`, listPaths, LOAD_LIMIT, stackOfPaths);
  const { listed, paths } = list;
  // The data and head of every path run, but a page with thousands of paths renders only a few.
  const rendered = new Set([0, Math.floor(paths.length / 2), paths.length - 1]);
  const found: ReleasePath[] = [];
  for (const [index, path] of paths.entries()) {
    // A place looks for its point in the list.
    const isRendered = points !== undefined && rendered.has(index);
    const isIndexable = await checkPath(page, { pattern, path, listed, isRendered, stackOfComponent });
    if (listed) found.push({ path, indexable: isIndexable });
  }
  const examples = await examplesOf(page, `the page ${pattern}`);
  for (const [index, { path = "", results }] of examples.entries()) {
    const [example, isRendered] = [`example ${String(index + 1)}`, points !== undefined];
    await checkPath(page, { pattern, path, listed: false, isRendered, stackOfComponent, example, results });
    report({ kind: "example", subject: { pattern, path }, results, stack: stackOfMember(page, "examples") });
  }
  const references = points?.map(referenceOf) ?? [];
  const described = {
    paths: found,
    ...(page.searchNames().length > 0 && { search: page.searchNames() }),
    ...(page.isBrowserOnly() && { browserOnly: true }),
    ...(references.length > 0 && { extensionPoints: references }),
  };
  if (points && hasPaths) report({ kind: "page", page: described, points });
  const unknown = page.unknownPath();
  if (unknown === null) return;
  const step = `data() of ${unknown} (page ${pattern})`;
  await runLimited(
    step,
    () => page.at(unknown).unknown(),
    PATH_LIMIT,
    () => stackOfMember(page, "data"),
  );
  reportBlocked(`${unknown} (page ${pattern})`);
}

/** Returns the extension points of a page. Undefined after the report of a problem. */
function describePoints(page: PageCheck, stackOfComponent: string): readonly ReleaseExtensionPoint[] | undefined {
  const { points, problems } = page.points();
  for (const violation of problems) reportViolation(violation, stackOfComponent);
  return problems.length > 0 ? undefined : points;
}

/** Runs an extension with each example of its point, and each of its own. */
async function checkExtension(
  section: SectionCheck,
  { point, examples, opener }: ExtensionTask,
  given: readonly GivenResults[] | undefined,
): Promise<void> {
  const extension = section.extension(point);
  const name = `the extension ${point}`;
  const at =
    (...members: readonly PageMember[]) =>
    () =>
      stackOfMember(extension, ...members);
  if (!(await runLimited(`loading ${name}`, () => extension.load(), LOAD_LIMIT, at("data", "Component")))) return;
  reportBlocked(name);
  for (const { subject, results } of given ?? [])
    if ("props" in subject) await checkProps(extension, { ...subject, view: `${name} with ${REAL}`, results });
  if (given) return;
  report({ kind: "extension", point, order: extension.order() });
  reportNoExamples(extension, point, true);
  for (const [index, props] of examples.entries()) {
    const view = `${name} with example ${String(index + 1)}${opener === undefined ? "" : ` of ${opener}`}`;
    await checkProps(extension, { point, props, view });
  }
  for (const [index, { props: value, results }] of (await examplesOf(extension, name)).entries()) {
    const props = JSON.stringify(value);
    await checkProps(extension, { point, props, view: `${name} with its own example ${String(index + 1)}`, results });
    report({ kind: "example", subject: { point, props }, results, stack: stackOfMember(extension, "examples") });
  }
}

interface PropsToCheck {
  readonly point: string;
  /** As JSON. */
  readonly props: string;
  /** The extension with the props, for messages. */
  readonly view: string;
  /** Results of the queries. Absent: they fail. */
  readonly results?: ExampleResults;
}

/** Runs an extension with props. */
async function checkProps(extension: ExtensionCheck, { point, props, view, results }: PropsToCheck): Promise<void> {
  const stackOf = (member: PageMember) => (): string => stackOfMember(extension, member);
  extension.setProps(props, view);
  startStep(`queries() of ${view}`, PATH_LIMIT);
  const hasQueries = await run(`queries() of ${view}`, () => extension.queries(), stackOf("queries"));
  hasFailedQueries = extension.hasQueries() && !results;
  if (hasQueries)
    await reportResults(extension, { point, props }, results, stackOfMember(extension, "examples", "queries"));
  const hasData = hasQueries && (await runNext(`data() of ${view}`, () => extension.data(results), stackOf("data")));
  if (hasData && extension.hasContent()) {
    const stack = stackOfMember(extension, "Component");
    const isDone = await runNext(
      `rendering ${view}`,
      () => extension.render(),
      () => stack,
    );
    if (isDone)
      report({ kind: "rendered", view, source: point, isExtension: true, path: "/", html: extension.html, stack });
  }
  watchdog.stop();
  hasFailedQueries = false;
  reportBlocked(view, stackOfMember(extension, "Component"));
}

/** Reports the links to paths that are not found. */
async function checkLinks(section: SectionCheck, links: readonly LinkTarget[]): Promise<void> {
  for (const { pattern, path } of links) {
    const page = section.page(pattern);
    if (!(await runLimited(`loading the page ${pattern}`, () => page.load()))) continue;
    const check = page.at(path);
    const step = `data() of ${path} (page ${pattern})`;
    let isRejected = false;
    const loadData = async (): Promise<StepResult> => {
      isRejected = !(await check.readSearch());
      return check.matches() ?? check.queries() ?? check.data(false);
    };
    const hasData = await runLimited(step, loadData, PATH_LIMIT);
    if (hasData && check.isNotFound()) report({ kind: "notFound", path, pattern, isRejected });
  }
}

interface PathToCheck {
  readonly pattern: string;
  readonly path: string;
  readonly listed: boolean;
  readonly isRendered: boolean;
  /** A stack with the position of what the server renders. */
  readonly stackOfComponent: string;
  /** Names the results, for messages. */
  readonly example?: string;
  /** Results of the queries. Absent: they fail. */
  readonly results?: ExampleResults;
}

/** Names the results of a site, for messages. */
const REAL = "results of the site";

/** Runs the page at one path. Returns whether it may be indexed. */
async function checkPath(
  page: PageCheck,
  { pattern, path, listed, isRendered, stackOfComponent, example, results }: PathToCheck,
): Promise<boolean> {
  const check = page.at(path, example);
  const { where } = check;
  let isIndexable = false;
  const next = (what: string, action: Step, stackOf?: () => string): Promise<boolean> =>
    runNext(`${what} ${where}`, action, stackOf);
  const at = (member: PageMember) => (): string => stackOfMember(page, member);
  startStep(`data() of ${where}`, PATH_LIMIT);
  const hasQueries =
    (await run(
      `data() of ${where}`,
      () => check.matches() ?? check.search(),
      at(example === undefined ? "paths" : "examples"),
    )) && (await next("queries() of", () => check.queries(), at("queries")));
  hasFailedQueries = check.hasQueries() && !results;
  if (hasQueries && isRendered)
    await reportResults(check, { pattern, path }, results, stackOfMember(page, "examples", "queries"));
  const loadData = async (): Promise<StepResult> =>
    (await check.data(listed, results)) ?? (results ? null : check.failure());
  if (hasQueries && (await next("data() of", loadData, at("data"))) && check.hasContent()) {
    await next("data() of", () => {
      const problem = check.json();
      if (problem) reportViolation(problem, stackOfMember(page, "data"));
      return null;
    });
    await next("head() of", () => {
      const { indexable, problems } = check.head();
      isIndexable = indexable;
      for (const problem of problems) reportViolation(problem, stackOfMember(page, "head"));
      return null;
    });
    if (isRendered) {
      await next("layout() of", () => (check.layout(), null));
      const isDone = await next(
        "rendering",
        () => check.render(),
        () => stackOfComponent,
      );
      if (isDone)
        report({ kind: "rendered", view: where, source: pattern, path, html: check.html, stack: stackOfComponent });
    }
  }
  watchdog.stop();
  hasFailedQueries = false;
  reportBlocked(where, stackOfComponent);
  return isIndexable;
}

/** `ownStack` has the position of what renders an element that no code of the section creates, such as one of HTML in data. */
function reportBlocked(where: string, ownStack = ""): void {
  for (const { message, ...element } of takeBlocked())
    report({ kind: "violation", ...element, ownStack, message: `${where} contains ${message}` });
}

async function runTask({ pattern, extension, links, given }: CheckTask): Promise<void> {
  reportedStacks.clear();
  tolerated = new ToleratedUses();
  const context = createSandboxContext(tolerated);
  let section: SectionCheck | undefined;
  const isLoaded = await runLimited("loading the section", async () => {
    const { colonnadeShared, colonnadeSection } = runScripts(context, shared, bundle);
    ({ takeBlocked } = colonnadeShared);
    section = new colonnadeShared.SectionCheck(colonnadeSection.load, job.name, job.settings);
    await section.load();
    return null;
  });
  if (!isLoaded || !section) return;
  if (links) await checkLinks(section, links);
  const results = given && (section.parse(JSON.stringify(given)) as typeof given);
  if (extension) await checkExtension(section, extension, results);
  else if (pattern !== null) await checkPage(section, pattern, results);
  else if (!links) for (const violation of section.problems()) reportViolation(violation);
}

// The gateway ignores a rejection that the section does not handle. It must not end the check of another page.
process.on("unhandledRejection", () => undefined);
process.on("message", (task: CheckTask) => {
  runTask(task).then(
    () => process.send?.("done"),
    (error: unknown) => {
      // A fault of the check, not of the section.
      console.error(error);
      process.exit(1);
    },
  );
});
