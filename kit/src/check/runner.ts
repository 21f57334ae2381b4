// Checks pages of a section, each in a fresh sandbox. Its argument is a CheckJob, and its messages are CheckTasks.
import { appendFileSync } from "node:fs";

import type { ReleasePath } from "../build/release.js";
import { stackOfFunction } from "./functionPosition.js";
import { describeThrown, settled } from "./outcome.js";
import { PAGE_MEMBERS, type PageMember } from "./pageMembers.js";
import type { CheckJob, CheckTask, LinkTarget, Report } from "./report.js";
import type { CheckSteps, StepResult, Violation } from "./sandbox/index.js";
import { createSandboxContext } from "./sandboxContext.js";
import { compileBundle, compileShared, runScripts } from "./sandboxScripts.js";
import { LOAD_LIMIT, PATH_LIMIT, startWatchdog } from "./watchdog.js";

const job = JSON.parse(process.argv[2] ?? "") as CheckJob;
const watchdog = await startWatchdog(job.reports);

function report(found: Report): void {
  appendFileSync(job.reports, `${JSON.stringify(found)}\n`);
}

// Of the current task.
const reportedStacks = new Set<string>();

// Whether the queries of the current path fail.
let hasFailedQueries = false;

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

/**
 * Runs a step of the section. False if the section threw or the step found a problem. `stackOf` returns a stack with the
 * position of that problem, or of an error whose own stack has no position.
 */
async function run(
  step: string,
  action: () => StepResult | Promise<StepResult>,
  stackOf?: () => string,
): Promise<boolean> {
  try {
    const result = await settled(action());
    if (result === null) return true;
    reportViolation(result, stackOf?.());
  } catch (thrown) {
    reportThrown(step, thrown, stackOf?.());
  }
  return false;
}

/** Runs a step with its own limit. */
async function runLimited(
  step: string,
  action: () => StepResult | Promise<StepResult>,
  limit = LOAD_LIMIT,
  stackOf?: () => string,
): Promise<boolean> {
  watchdog.start(step, limit);
  const isDone = await run(step, action, stackOf);
  watchdog.stop();
  return isDone;
}

const shared = compileShared(job.shared);
const bundle = compileBundle(job.bundle);

async function checkSection(steps: CheckSteps): Promise<void> {
  for (const name of steps.slots()) await runLimited(`loading the slot ${name}`, () => steps.loadSlot(name));
  reportBlocked(steps, "the slots");
}

async function checkPage(steps: CheckSteps, pattern: string): Promise<void> {
  const stackOfPage = (): string => stackOfMember(steps, ...PAGE_MEMBERS);
  if (!(await runLimited(`loading the page ${pattern}`, () => steps.loadPage(pattern), LOAD_LIMIT, stackOfPage)))
    return;
  const stackOfComponent = stackOfMember(steps, "Component");
  reportBlocked(steps, `the page ${pattern}`);
  let list: ReturnType<CheckSteps["paths"]> | undefined;
  const listPaths = (): StepResult => {
    list = steps.paths();
    return list.problem === undefined ? null : { problem: list.problem };
  };
  const stackOfPaths = (): string => stackOfMember(steps, "paths");
  if (!(await runLimited(`paths() of the page ${pattern}`, listPaths, LOAD_LIMIT, stackOfPaths)) || !list) return;
  const { listed, paths } = list;
  // The data and head of every path run, but a page with thousands of paths renders only a few.
  const rendered = new Set([0, Math.floor(paths.length / 2), paths.length - 1]);
  const found: ReleasePath[] = [];
  for (const [index, path] of paths.entries()) {
    const isIndexable = await checkPath(steps, {
      pattern,
      path,
      listed,
      isRendered: rendered.has(index),
      stackOfComponent,
    });
    if (listed) found.push({ path, indexable: isIndexable });
  }
  report({ kind: "paths", paths: found });
  const unknown = steps.unknownPath();
  if (unknown === null) return;
  const step = `data() of ${unknown} (page ${pattern})`;
  await runLimited(
    step,
    () => steps.unknown(unknown),
    PATH_LIMIT,
    () => stackOfMember(steps, "data"),
  );
}

/** Reports the links to paths that are not found. */
async function checkLinks(steps: CheckSteps, links: readonly LinkTarget[]): Promise<void> {
  for (const { pattern, path } of links) {
    if (!(await runLimited(`loading the page ${pattern}`, () => steps.loadPage(pattern)))) continue;
    const step = `data() of ${path} (page ${pattern})`;
    const loadData = (): StepResult | Promise<StepResult> =>
      steps.matches(path) ?? steps.queries(path) ?? steps.data(path, false);
    const hasData = await runLimited(step, loadData, PATH_LIMIT);
    if (hasData && steps.isNotFound()) report({ kind: "notFound", path, pattern });
  }
}

interface PathToCheck {
  readonly pattern: string;
  readonly path: string;
  readonly listed: boolean;
  readonly isRendered: boolean;
  /** A stack with the position of the page's component. */
  readonly stackOfComponent: string;
}

/** Returns a stack with the position of the first of these members that is a function; empty if none is. */
function stackOfMember(steps: CheckSteps, ...members: readonly PageMember[]): string {
  const found = members.map((member) => steps.member(member)).find((member) => typeof member === "function");
  return found === undefined ? "" : stackOfFunction(found);
}

/** Runs the page at one path. Returns whether it may be indexed. */
async function checkPath(
  steps: CheckSteps,
  { pattern, path, listed, isRendered, stackOfComponent }: PathToCheck,
): Promise<boolean> {
  let isIndexable = false;
  const page = `${path} (page ${pattern})`;
  const next = (
    what: string,
    action: () => StepResult | Promise<StepResult>,
    stackOf?: () => string,
  ): Promise<boolean> => {
    const step = `${what} ${page}`;
    watchdog.rename(step);
    return run(step, action, stackOf);
  };
  watchdog.start(`data() of ${page}`, PATH_LIMIT);
  const hasQueries =
    (await run(
      `data() of ${page}`,
      () => steps.matches(path),
      () => stackOfMember(steps, "paths"),
    )) &&
    (await next(
      "queries() of",
      () => steps.queries(path),
      () => stackOfMember(steps, "queries"),
    ));
  hasFailedQueries = steps.hasQueries();
  const hasData =
    hasQueries &&
    (await next(
      "data() of",
      async () => (await steps.data(path, listed)) ?? steps.failure(path),
      () => stackOfMember(steps, "data"),
    ));
  if (hasData && !steps.isNotFound() && !steps.isRedirect()) {
    await next("data() of", () => {
      const problem = steps.json(path);
      if (problem) reportViolation(problem, stackOfMember(steps, "data"));
      return null;
    });
    await next("head() of", () => {
      const { indexable, problems } = steps.head(path);
      isIndexable = indexable;
      for (const problem of problems) reportViolation(problem, stackOfMember(steps, "head"));
      return null;
    });
    if (isRendered) {
      await next("layout() of", () => (steps.layout(), null));
      const isDone = await next(
        "rendering",
        () => steps.render(path),
        () => stackOfComponent,
      );
      if (isDone) report({ kind: "rendered", path, pattern, html: steps.html(), stack: stackOfComponent });
    }
  }
  watchdog.stop();
  hasFailedQueries = false;
  reportBlocked(steps, page);
  return isIndexable;
}

function reportBlocked(steps: CheckSteps, where: string): void {
  for (const { message, ...element } of steps.takeBlocked())
    report({ kind: "violation", ...element, message: `${where} contains ${message}` });
}

async function runTask({ pattern, links }: CheckTask): Promise<void> {
  reportedStacks.clear();
  const context = createSandboxContext();
  let steps: CheckSteps | undefined;
  const isLoaded = await runLimited("loading the section", () => {
    const { colonnadeShared, colonnadeSection } = runScripts(context, shared, bundle);
    steps = colonnadeShared.createSteps(colonnadeSection.load, job.name);
    return steps.loadSection();
  });
  if (!isLoaded || !steps) return;
  if (links) await checkLinks(steps, links);
  else await (pattern === null ? checkSection(steps) : checkPage(steps, pattern));
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
