// Renders pages of one build of a section, each in a fresh sandbox. Its argument is a RendererJob.
import { readFileSync } from "node:fs";
import vm from "node:vm";

import { describeThrown, settled } from "../check/outcome.js";
import { BUNDLE_NAME, type Report } from "../check/report.js";
import type { createSteps } from "../check/sandbox/index.js";
import { createSandboxContext } from "../check/sandboxContext.js";
import { LOAD_LIMIT, PATH_LIMIT, startWatchdog } from "../check/watchdog.js";
import type { Rendered, RenderRequest } from "../boot.js";
import type { RendererJob, RenderReply } from "./rendererJob.js";

interface Bundles extends vm.Context {
  readonly colonnadeShared: {
    readonly createSteps: typeof createSteps;
    readonly render: (section: unknown, request: RenderRequest) => Promise<Rendered>;
  };
  readonly colonnadeSection: { readonly load: Parameters<typeof createSteps>[0] };
}

const job = JSON.parse(process.argv[2] ?? "") as RendererJob;
const watchdog = await startWatchdog(job.reports);
const scriptOf = (file: string, filename: string): vm.Script => new vm.Script(readFileSync(file, "utf8"), { filename });
const shared = scriptOf(job.shared, "colonnade-shared.js");
const bundle = scriptOf(job.bundle, BUNDLE_NAME);

async function render(request: RenderRequest): Promise<RenderReply> {
  const reports: Report[] = [];
  let rendered: Rendered | null = null;
  let step = "loading the section";
  watchdog.start(step, LOAD_LIMIT);
  try {
    const context = createSandboxContext() as Bundles;
    shared.runInContext(context);
    bundle.runInContext(context);
    const { colonnadeShared, colonnadeSection } = context;
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
