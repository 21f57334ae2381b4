// Renders pages and extensions of a section, each in a fresh sandbox. Its argument is a RendererJob.
import { Script, type Context } from "node:vm";

import type { ExtensionResult, RenderRequest, RenderResult } from "@colonnade/kit/shell";

import { extensionHtmlProblem } from "./extensionHtml.js";
import { stackOfFunction } from "./functionPosition.js";
import { describeThrown, settled } from "./outcome.js";
import { viewOf, type RendererJob, type RenderJob, type RenderReply } from "./rendererJob.js";
import type { Report } from "./report.js";
import type { StepResult } from "./sandbox/violation.js";
import type { ExtensionCheck } from "./sandbox/extensionCheck.js";
import type { PageCheck } from "./sandbox/pageCheck.js";
import { createSandboxContext } from "./sandboxContext.js";
import { compileBundle, compileShared, runScripts, type SandboxGlobals } from "./sandboxScripts.js";
import { LOAD_LIMIT, PATH_LIMIT, startWatchdog } from "./watchdog.js";

interface RendererGlobals extends SandboxGlobals {
  readonly colonnadeShared: SandboxGlobals["colonnadeShared"] & {
    readonly render: (section: unknown, request: RenderJob["request"]) => Promise<RenderResult | ExtensionResult>;
  };
}

const job = JSON.parse(process.argv[2] ?? "") as RendererJob;
const watchdog = await startWatchdog(job.reports);
const shared = compileShared(job.shared);
let bundle: { readonly build: string; readonly script: Script } | undefined;

function bundleOf(build: string): Script {
  if (bundle?.build !== build) bundle = { build, script: compileBundle(job.bundle) };
  return bundle.script;
}

/** Returns what the check reports about the page's data. The shell only throws. */
async function dataViolation(page: PageCheck, { path, search, results }: RenderRequest): Promise<Report | undefined> {
  let failed: StepResult = (await settled(page.load()))[0] ?? null;
  let found = failed;
  if (!failed) {
    const check = page.at(search ? `${path}?${search}` : path);
    // The page is not found.
    if (!(await settled(check.readSearch()))) return undefined;
    failed = check.matches() ?? check.queries() ?? (await settled(check.data(false, results)));
    found = failed ?? (check.hasContent() ? check.json() : null);
  }
  if (!found) return undefined;
  const { problem, ...violation } = found;
  const stack = failed ? undefined : stackOfFunction(page.member("data"));
  return { kind: "violation", code: "COL100", ...violation, message: problem, ...(stack && { stack }) };
}

/** Copies a request into a sandbox: a page may return an object of it as data, which must be a plain object there. */
function copyInto<Request extends RenderJob["request"]>(context: Context, request: Request): Request {
  const parse = new Script("JSON.parse").runInContext(context) as typeof JSON.parse;
  return parse(JSON.stringify(request)) as Request;
}

/** A stack with the position of what a page or an extension renders. */
function ownStackOf(subject: PageCheck | ExtensionCheck): string {
  const component = subject.member("fallback") ?? subject.member("Component");
  return typeof component === "function" ? stackOfFunction(component) : "";
}

async function render({ build, request: received }: RenderJob): Promise<RenderReply> {
  const reports: Report[] = [];
  let rendered: RenderResult | null = null;
  let step = "loading the section";
  let subject: PageCheck | ExtensionCheck | undefined;
  const context = createSandboxContext();
  const request = copyInto(context, received);
  watchdog.start(step, LOAD_LIMIT);
  try {
    const globals = runScripts(context, shared, bundleOf(build)) as RendererGlobals;
    const { colonnadeShared, colonnadeSection } = globals;
    const check = new colonnadeShared.SectionCheck(colonnadeSection.load, job.name, job.settings);
    await settled(check.load());
    const [result] = check.problems();
    if (result) return { rendered, reports: [{ kind: "violation", code: "COL100", message: result.problem }] };
    const isExtension = "extension" in request;
    if (isExtension) await settled((subject = check.extension(request.extension.point)).load());
    else subject = check.page(request.page?.pattern ?? "");
    const section = (await settled(colonnadeSection.load())).default;
    step = `rendering ${viewOf(request)}`;
    watchdog.start(step, PATH_LIMIT);
    const output = await settled(colonnadeShared.render(section, request));
    const { html } = "extension" in output ? (output.extension ?? { html: "" }) : { html: "", ...output };
    if (!("extension" in output)) rendered = output;
    colonnadeShared.inspectHtml(html);
    const view = isExtension ? viewOf(request) : request.path;
    for (const { message, ...element } of colonnadeShared.takeBlocked())
      reports.push({ kind: "violation", ...element, message: `${view} contains ${message}` });
    const problem = isExtension ? extensionHtmlProblem(html) : null;
    const message = `${view} ${problem ?? ""}`;
    if (problem !== null) reports.push({ kind: "violation", code: "COL172", message, stack: ownStackOf(subject) });
  } catch (thrown) {
    const { name, message, stack } = describeThrown(thrown);
    const violation =
      subject && "at" in subject ? await dataViolation(subject, request as RenderRequest).catch(() => undefined) : null;
    const ownStack = subject ? ownStackOf(subject) : "";
    reports.push(violation ?? { kind: "thrown", step, error: { name, message }, stack, ownStack });
  } finally {
    watchdog.stop();
  }
  // Objects of the sandbox can have getters, and JSON cannot.
  return JSON.parse(JSON.stringify({ rendered, reports })) as RenderReply;
}

process.on("message", (received: RenderJob) => {
  void render(received).then((reply) => process.send?.(reply));
});
process.send?.("ready");
