import { writeFile } from "node:fs/promises";
import path from "node:path";

import { CONTRACT } from "@colonnade/kit/contract";

import type { BuildContext } from "../build/context.js";
import type { ReleaseExtensionPoint } from "../build/release.js";
import { placeholderSettings } from "../build/settings.js";
import { inTemporaryFolder } from "../build/temporaryFolder.js";
import { compileShellCheck } from "./bundle.js";
import { problemsOf } from "./check.js";
import { findDenied } from "./denied.js";
import { mergePoints } from "./listedPoints.js";
import { findBroken, findUnshown, type KnownLive } from "./liveExtensions.js";
import { readPositions } from "./positions.js";
import { problemOf, Problems, type Problem } from "./problem.js";
import { Renderer } from "./renderer.js";
import type { RenderReply } from "./rendererJob.js";
import type { Report } from "./report.js";
import type { DescribedPoints } from "./sandbox/points.js";
import { PLACEHOLDER_SITE } from "./sandbox/site.js";
import { SHARED_NAME } from "./sandboxScripts.js";

/** Result of {@link checkShell}. */
interface CheckedShell {
  readonly problems: readonly Problem[];
  /** The extension points that the shell opens. */
  readonly points: readonly ReleaseExtensionPoint[];
}

/** What is rendered, by the path of the page in {@link SECTION} that shows it. */
const RENDERED = {
  "/page": "the frame",
  "/not-found": "the not-found page",
  "/failed": "the part for a section that failed",
} as const;

/**
 * A section in the shell: an empty page, a page that is not found, and the shell's part for a section that failed. The data of the
 * first one are the shell's extension points.
 */
const SECTION = `var colonnadeSection = { load: async () => {
  const { describePoints, packages, shell } = colonnadeShared;
  const parts = ["Frame", "Loading", "NotFound", "Failed", "Offline"];
  const missing = parts.filter((part) => !shell?.[part]);
  if (missing.length > 0)
    throw new Error(\`the shell has no \${missing.join(", ")}; expected createShell({ \${parts.join(", ")} })\`);
  const { createElement } = packages.react;
  const head = () => ({ title: "Shell", description: "Shell", canonical: "/", robots: "noindex" });
  const page = (data, Component) => async () => ({ page: { data, head, Component } });
  const failed = () => createElement(shell.Failed, { retry: () => undefined });
  const { notFound } = packages["@colonnade/kit"];
  return { default: { name: "shell", contract: ${String(CONTRACT)}, pages: {
    "/page": page(() => describePoints(shell.extensionPoints, "shell", "the shell"), () => null),
    "/not-found": page(() => notFound(), () => null),
    "/failed": page(() => null, failed),
  } } };
} };`;

/**
 * Renders the shell's frame, its not-found page and its part for a failed section by the rules of the gateway's sandbox, with a
 * placeholder for each listed fact. `known` is what is known of a site. Returns the problems, and the extension points that the shell opens.
 *
 * @throws UsageError if the shell does not compile.
 */
export async function checkShell(context: BuildContext, known: KnownLive = {}): Promise<CheckedShell> {
  return inTemporaryFolder(async (output) => {
    const { folder, config } = context;
    const { file, map } = await compileShellCheck(context, output);
    const bundle = path.join(output, "section.js");
    await writeFile(bundle, SECTION);
    const positionOf = await readPositions(folder, path.resolve(folder, config.entry), map, SHARED_NAME);
    const settings = placeholderSettings(config);
    const reports = path.join(output, "reports.jsonl");
    const renderer = new Renderer({ shared: file, bundle, reports, name: config.name, settings });
    const problems = new Problems();
    let points: readonly ReleaseExtensionPoint[] = [];
    try {
      for (const [pattern, what] of Object.entries(RENDERED)) {
        const request = {
          path: pattern,
          page: { section: config.name, pattern },
          site: { ...PLACEHOLDER_SITE, facts: settings.facts },
        };
        const { rendered, reports: found } = await renderer.render({ build: "", request });
        if (pattern === "/page") {
          const opened = openedIn(rendered);
          ({ points } = opened);
          for (const problem of opened.problems) problems.add(problem);
        }
        for (const report of found.map((each) => renamed(each, pattern, what)))
          for (const problem of problemsOf(report, { positionOf, locationOf: () => undefined }))
            problems.add(problem, problem.message.replace(what, ""));
      }
    } finally {
      await renderer.close();
    }
    const own = { name: config.name, points, orders: new Map<string, number>() };
    for (const problem of findDenied(context)) problems.add(problem);
    const { live } = known;
    if (live) for (const problem of findUnshown(own, live, () => undefined)) problems.add(problem);
    const release = { name: config.name, version: context.identity.version, points };
    for (const problem of await findBroken(release, known, () => undefined)) problems.add(problem);
    return { problems: problems.sorted(), points };
  });
}

/** The extension points in the result of the render of "/page", and their problems. */
function openedIn(rendered: RenderReply["rendered"]): CheckedShell {
  if (!rendered || !("view" in rendered) || rendered.view.kind !== "page") return { points: [], problems: [] };
  const { points: listed, problems: violations } = rendered.view.data as DescribedPoints;
  const { points, problems } = mergePoints(listed, undefined);
  const found = violations.map(({ code = "COL100", problem, advice }) => problemOf(code, problem, undefined, advice));
  return { points, problems: [...problems, ...found] };
}

/** A report in words of the shell, in place of the section that shows it. */
function renamed(report: Report, pattern: string, what: string): Report {
  if (report.kind === "violation") return { ...report, message: report.message.replace(pattern, what) };
  if (report.kind !== "thrown" && report.kind !== "timeout") return report;
  return { ...report, step: report.step.startsWith("loading") ? "loading the shell" : `rendering ${what}` };
}
