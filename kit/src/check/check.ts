import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { readEntry } from "../build/entry.js";
import type { ReleasePath } from "../build/release.js";
import type { BuildContext } from "../build/context.js";
import { compileSection, compileShared } from "./bundle.js";
import { classifyError } from "./classify.js";
import { readPositions } from "./positions.js";
import { distinctProblems, problemOf, type Problem } from "./problem.js";
import { inParallel, runJob } from "./processes.js";
import type { CheckJob, Report } from "./report.js";

/** Result of {@link check}. */
export interface CheckResult {
  readonly problems: readonly Problem[];
  /** The paths that each page lists, by pattern. Complete if there are no problems. */
  readonly paths: ReadonlyMap<string, readonly ReleasePath[]>;
}

/**
 * Renders a section's pages by the rules of the gateway's sandbox and finds all violations. Calls `data` and `head` for
 * each listed path.
 *
 * @throws UsageError if the section does not compile.
 */
export async function check(context: BuildContext): Promise<CheckResult> {
  const folder = await mkdtemp(path.join(tmpdir(), "colonnade-check-"));
  try {
    return await checkIn(folder, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function checkIn(temporary: string, context: BuildContext): Promise<CheckResult> {
  const { folder, config } = context;
  const entry = path.resolve(folder, config.entry);
  const { pages } = await readEntry(entry);
  const shared = path.join(temporary, "shared.js");
  await writeFile(shared, await compileShared(context, temporary));
  const bundle = await compileSection(context, temporary);
  const positionOf = await readPositions(folder, entry, bundle.map);
  const runOne = async (pattern: string | null, index: number): Promise<Report[]> => {
    const job: CheckJob = {
      shared,
      bundle: bundle.file,
      reports: path.join(temporary, `${String(index)}.jsonl`),
      name: config.name,
      pattern,
    };
    return runJob(job);
  };
  const patterns = [...pages.keys()];
  const ofSection = await runOne(null, 0);
  // What fails in the section as a whole fails on every page.
  const ofPages =
    ofSection.length > 0
      ? []
      : await inParallel([...patterns.entries()], ([index, pattern]) => runOne(pattern, index + 1));
  const reports = [ofSection, ...ofPages].flat();
  const paths = new Map<string, readonly ReleasePath[]>();
  for (const [index, found] of ofPages.entries())
    for (const report of found) if (report.kind === "paths") paths.set(patterns[index] ?? "", report.paths);
  const problems = reports.flatMap((report) => problemsOf(report, positionOf));
  return { problems: distinctProblems([...bundle.problems, ...problems]), paths };
}

function problemsOf(report: Report, positionOf: (stack: string) => string | undefined): Problem[] {
  switch (report.kind) {
    case "paths":
      return [];
    case "thrown": {
      const { code, message } = classifyError(report.error);
      return [problemOf(code, `${report.step} ${message}`, positionOf(report.stack))];
    }
    case "timeout": {
      const message = `${report.step} exceeded ${String(report.limit)} ms of CPU time: is there an endless loop?`;
      return [problemOf("COL111", message, positionOf(report.stack))];
    }
    case "violation":
      return [problemOf(report.code, report.message, positionOf(report.stack ?? ""), report.advice)];
  }
}
