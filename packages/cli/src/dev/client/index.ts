// Connects a page to `colonnade dev`: updates its sections, and shows their problems. Runs before the shell.
import type { BrowserError } from "../browserError.js";
import type { DevelopmentProblem } from "../problem.js";
import type { DocumentState, ServerState, ViewChange } from "../state.js";
import { stackOfBlocked } from "./blockedElement.js";
import { stackOfMismatch } from "./hydratedElement.js";
import { keepStylesDisabled } from "./hotStyles.js";
import { showProblems } from "./overlay.js";
import type { HotSection } from "./sections.js";

const MAX_MESSAGE = 4_000;

const meta = document.querySelector<HTMLMetaElement>('meta[name="colonnade-development"]');
const start = JSON.parse(meta?.content ?? "") as DocumentState;
const sections = new Map<string, HotSection>();
Object.assign(globalThis, { colonnadeSections: sections });
keepStylesDisabled();

let current: ServerState = { builds: start.builds, problems: [] };
let browserProblems: { readonly path: string; readonly problem: DevelopmentProblem }[] = [];
// How often a new build of a section arrived.
let updates = 0;

/** Shows the problems of the sources and of the current page. */
function show(): void {
  const { pathname } = location;
  const serverProblems = current.problems.filter(({ path }) => path === undefined || path === pathname);
  // An error that the server already reports at the same place is shown once.
  const isKnown = ({ kind, location }: DevelopmentProblem): boolean =>
    serverProblems.some((known) => (location ? known.location === location : kind === "policy" && known.kind === kind));
  const onlyInBrowser = browserProblems
    .filter(({ path, problem }) => path === pathname && !isKnown(problem))
    .map(({ problem }) => problem);
  showProblems([...serverProblems, ...onlyInBrowser]);
}

async function report(error: Omit<BrowserError, "path">): Promise<void> {
  const path = location.pathname;
  const updatesBefore = updates;
  const response = await fetch("/_development/errors", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...error, message: error.message.slice(0, MAX_MESSAGE), path }),
  });
  if (!response.ok) return;
  // Read before the list, because another report may change the list meanwhile.
  const problem = (await response.json()) as DevelopmentProblem;
  // The new build may not have the problem.
  if (updates !== updatesBefore) return;
  // The browser reports a blocked URL once for each use.
  const isReported = browserProblems.some(
    (known) =>
      known.path === path && known.problem.message === problem.message && known.problem.location === problem.location,
  );
  if (isReported) return;
  browserProblems = [...browserProblems, { path, problem }];
  show();
}

function reportThrown(thrown: unknown, position: string): void {
  const {
    message = String(thrown),
    stack = "",
    componentStack = "",
    extension,
  } = (thrown ?? {}) as Partial<Error> & {
    readonly componentStack?: string;
    readonly extension?: string;
  };
  const isHydration = /hydrat/i.test(message);
  // React throws hydration errors, so their stack does not name the section's code.
  const stacks = isHydration ? [stackOfMismatch(message), componentStack, stack] : [stack, componentStack];
  const kind = isHydration ? "hydration" : "runtime";
  void report({ kind, message, extension, stack: [...stacks, position].join("\n") });
}

addEventListener("error", ({ error, message, filename, lineno, colno }) => {
  reportThrown(error ?? message, `${filename}:${String(lineno)}:${String(colno)}`);
});
addEventListener("unhandledrejection", ({ reason }) => {
  reportThrown(reason, "");
});
document.addEventListener("securitypolicyviolation", (event) => {
  const { disposition, violatedDirective, blockedURI, sourceFile, lineNumber, columnNumber } = event;
  // A violation of Trusted Types throws an error, which has the position. Others are not blocked.
  if (disposition === "report" || violatedDirective === "require-trusted-types-for") return;
  void report({
    kind: "policy",
    message: `The Content Security Policy blocks ${blockedURI || "this"} (${violatedDirective}).`,
    violation: [violatedDirective, blockedURI],
    stack: `${stackOfBlocked(blockedURI)}\n${sourceFile}:${String(lineNumber)}:${String(columnNumber)}`,
  });
});

interface DeniedFeature {
  readonly featureId: string;
  readonly sourceFile?: string | null;
  readonly lineNumber?: number | null;
  readonly columnNumber?: number | null;
}

// Other browsers only reject what the code asks for.
if ("ReportingObserver" in globalThis)
  new ReportingObserver(
    (reports) => {
      for (const { body } of reports) {
        const { featureId, sourceFile, lineNumber, columnNumber } = body as unknown as DeniedFeature;
        void report({
          kind: "policy",
          message: `The Permissions Policy denies ${featureId}.`,
          violation: ["permissions-policy", featureId],
          stack: `${String(sourceFile)}:${String(lineNumber)}:${String(columnNumber)}`,
        });
      }
    },
    { types: ["permissions-policy-violation"], buffered: true },
  ).observe();

// Sections with a build that this page skipped.
const skipping = new Set<string>();

/**
 * Updates a section of this page to a build. Skips a build that exceeds the limit of CPU time, because it would block the
 * page. Reloads the page if the update fails or the view changed.
 */
async function update(name: string, section: HotSection, build: string): Promise<void> {
  try {
    const { changed, exceedsLimit } = await compareView(name);
    if (exceedsLimit) skipping.add(name);
    // An update would also apply the skipped builds.
    else if (changed || skipping.has(name)) location.reload();
    else {
      while (section.build() !== build) await section.update();
      // The shell loads the data of the section's extensions again, which only the browser renders.
      dispatchEvent(new CustomEvent("colonnade-update", { detail: name }));
    }
  } catch (error) {
    console.info("[colonnade dev] reload:", error);
    location.reload();
  }
}

// By section, the server build that rendered the view of this page.
const viewBuilds = new Map(Object.entries(start.builds).map(([name, { server }]) => [name, server]));

/** Renders this page with the section's current build, and compares its view. */
async function compareView(section: string): Promise<ViewChange> {
  const query = new URLSearchParams({
    path: location.pathname + location.search,
    section,
    build: viewBuilds.get(section) ?? "",
  });
  const response = await fetch(`/_development/view?${query.toString()}`);
  if (!response.ok) throw new Error(`/_development/view responded with status ${String(response.status)}`);
  const change = (await response.json()) as ViewChange;
  viewBuilds.set(section, change.build);
  return change;
}

/** Whether this page has files of a section. */
function hasLoaded(section: string): boolean {
  return performance
    .getEntriesByType("resource")
    .some(({ name }) => new URL(name).pathname.startsWith(`/assets/${section}/`));
}

async function apply(state: ServerState): Promise<void> {
  const earlierBuilds = current.builds;
  current = state;
  for (const [name, { client, server }] of Object.entries(state.builds)) {
    const section = sections.get(name);
    if (client !== earlierBuilds[name]?.client) {
      updates += 1;
      // The section of a problem without a position is unknown.
      browserProblems = browserProblems.filter(({ problem: { section: of, location: at } }) => at && of !== name);
      if (section) await update(name, section, client);
      // The section of this page did not start, so it cannot be updated.
      else if ((name === start.section || hasLoaded(name)) && !(await compareView(name)).exceedsLimit)
        location.reload();
    } else if (server !== viewBuilds.get(name) && viewBuilds.has(name)) {
      if ((await compareView(name)).changed) location.reload();
    }
  }
  show();
}

// Updates wait for the load event, because a script that is still loading could overwrite them.
let applying = new Promise<void>((resolve) => {
  addEventListener("load", () => {
    resolve();
  });
});
new EventSource("/_development/events").addEventListener("message", ({ data }: MessageEvent<string>) => {
  applying = applying.then(() => apply(JSON.parse(data) as ServerState)).catch(show);
});
// This event reports client-side navigations.
(globalThis as { navigation?: EventTarget }).navigation?.addEventListener("currententrychange", show);
