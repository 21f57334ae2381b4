// Renders pages of one build of a section, each in a fresh sandbox. Its argument is a RendererJob.
import { describeThrown, settled } from "../check/outcome.js";
import type { Report } from "../check/report.js";
import { createSandboxContext } from "../check/sandboxContext.js";
import { compileScripts, type SandboxGlobals } from "../check/sandboxScripts.js";
import { LOAD_LIMIT, PATH_LIMIT, startWatchdog } from "../check/watchdog.js";
import type { Rendered, RenderRequest } from "../boot.js";
import type { RendererJob, RenderReply } from "./rendererJob.js";

interface RendererGlobals extends SandboxGlobals {
  readonly colonnadeShared: SandboxGlobals["colonnadeShared"] & {
    readonly render: (section: unknown, request: RenderRequest) => Promise<Rendered>;
  };
}

const job = JSON.parse(process.argv[2] ?? "") as RendererJob;
const watchdog = await startWatchdog(job.reports);
const runScripts = compileScripts(job);

async function render(request: RenderRequest): Promise<RenderReply> {
  const reports: Report[] = [];
  let rendered: Rendered | null = null;
  let step = "loading the section";
  watchdog.start(step, LOAD_LIMIT);
  try {
    const { colonnadeShared, colonnadeSection } = runScripts(createSandboxContext()) as RendererGlobals;
    const steps = colonnadeShared.createSteps(colonnadeSection.load, job.name);
    const result = await settled(steps.loadSection());
    if (result) return { rendered, reports: [{ kind: "violation", code: "COL100", message: result.problem }] };
    const section = (await settled(colonnadeSection.load())).default;
    step = `rendering ${request.path}${request.page ? ` (page ${request.page.pattern})` : ""}`;
    watchdog.start(step, PATH_LIMIT);
    rendered = await settled(colonnadeShared.render(section, request));
    steps.inspect(rendered.html);
    for (const { message, ...element } of steps.takeBlocked())
      reports.push({ kind: "violation", ...element, message: `${request.path} contains ${message}` });
  } catch (thrown) {
    const { name, message, stack } = describeThrown(thrown);
    reports.push({ kind: "thrown", step, error: { name, message }, stack });
  } finally {
    watchdog.stop();
  }
  // Objects of the sandbox can have getters, and JSON cannot.
  return JSON.parse(JSON.stringify({ rendered, reports })) as RenderReply;
}

process.on("message", (request: RenderRequest) => {
  void render(request).then((reply) => process.send?.(reply));
});
process.send?.("ready");
