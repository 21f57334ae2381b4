// Connects a page to `section dev`: updates its sections, and shows their problems. Runs before the shell.
import type { BrowserError } from "../browserError.js";
import type { DevelopmentProblem } from "../problem.js";
import type { DocumentState, ServerState, ViewChange } from "../state.js";
import { showProblems } from "./overlay.js";
import type { HotSection } from "./sections.js";

const MAX_MESSAGE = 4_000;

const meta = document.querySelector<HTMLMetaElement>('meta[name="colonnade-development"]');
const start = JSON.parse(meta?.content ?? "") as DocumentState;
const sections = new Map<string, HotSection>();
Object.assign(globalThis, { colonnadeSections: sections });

let current: ServerState = { builds: start.builds, problems: [] };
let ofBrowser: { readonly path: string; readonly problem: DevelopmentProblem }[] = [];

/** Shows the problems of the sources and of the current page. */
function show(): void {
  const { pathname } = location;
  const ofServer = current.problems.filter(({ path }) => path === undefined || path === pathname);
  const locations = new Set(ofServer.map((problem) => problem.location));
  // The browser throws at the same place as the server.
  const others = ofBrowser
    .filter(({ path, problem }) => path === pathname && !(problem.location && locations.has(problem.location)))
    .map(({ problem }) => problem);
  showProblems([...ofServer, ...others]);
}

async function report(error: Omit<BrowserError, "path">): Promise<void> {
  const path = location.pathname;
  const response = await fetch("/_development/errors", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...error, message: error.message.slice(0, MAX_MESSAGE), path }),
  });
  if (!response.ok) return;
  ofBrowser = [...ofBrowser, { path, problem: (await response.json()) as DevelopmentProblem }];
  show();
}

function reportThrown(thrown: unknown, position: string): void {
  const {
    message = String(thrown),
    stack = "",
    componentStack = "",
  } = (thrown ?? {}) as Partial<Error> & {
    readonly componentStack?: string;
  };
  const isHydration = /hydrat/i.test(message);
  // Where the section is responsible: for hydration, React throws the error itself.
  const stacks = isHydration ? [componentStack, stack] : [stack, componentStack];
  void report({ kind: isHydration ? "hydration" : "runtime", message, stack: [...stacks, position].join("\n") });
}

addEventListener("error", ({ error, message, filename, lineno, colno }) => {
  reportThrown(error ?? message, `${filename}:${String(lineno)}:${String(colno)}`);
});
addEventListener("unhandledrejection", ({ reason }) => {
  reportThrown(reason, "");
});
document.addEventListener("securitypolicyviolation", (event) => {
  const { violatedDirective, blockedURI, sourceFile, lineNumber, columnNumber } = event;
  void report({
    kind: "policy",
    message: `The Content Security Policy blocks ${blockedURI || "this"} (${violatedDirective}).`,
    stack: `${sourceFile}:${String(lineNumber)}:${String(columnNumber)}`,
  });
});

/** Updates a section that runs in this page to a build. A reload does what an update cannot. */
async function update(section: HotSection, build: string): Promise<void> {
  try {
    while (section.build() !== build) await section.update();
  } catch (error) {
    console.info("[section dev] reload:", error);
    location.reload();
  }
}

// The builds of each section that rendered the view that this page shows.
const viewBuilds = new Map(Object.entries(start.builds).map(([name, { server }]) => [name, server]));

/** Reloads a page of a section if the current build changes what the server renders it from. */
async function checkView(section: string): Promise<void> {
  const before = viewBuilds.get(section);
  if (before === undefined || before === current.builds[section]?.server) return;
  const query = new URLSearchParams({ path: location.pathname, section, build: before });
  const response = await fetch(`/_development/view?${query.toString()}`);
  if (!response.ok) return;
  const { changed, build } = (await response.json()) as ViewChange;
  if (changed) location.reload();
  viewBuilds.set(section, build);
}

let checking = Promise.resolve();

async function apply(next: ServerState): Promise<void> {
  const before = current.builds;
  current = next;
  for (const [name, { client }] of Object.entries(next.builds)) {
    const section = sections.get(name);
    if (client !== before[name]?.client) {
      ofBrowser = ofBrowser.filter(({ problem }) => problem.section !== name);
      if (section) await update(section, client);
      // The section of this page did not start.
      else if (name === start.section) location.reload();
    }
    // An edit is shown before the server has rendered it.
    checking = checking.then(() => checkView(name)).catch(() => undefined);
  }
  show();
}

// A script that is still loading could replace what an update has changed.
let applying = new Promise<void>((resolve) => {
  addEventListener("load", () => {
    resolve();
  });
});
new EventSource("/_development/events").addEventListener("message", ({ data }: MessageEvent<string>) => {
  applying = applying.then(() => apply(JSON.parse(data) as ServerState));
});
// A client-side navigation.
(globalThis as { navigation?: EventTarget }).navigation?.addEventListener("currententrychange", show);
