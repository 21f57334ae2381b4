// The workflows of GitHub Actions: that of this repository, and that of a new section.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

import { expect, test } from "@playwright/test";
import { parse } from "yaml";

import { ROOT } from "../support/repository.mjs";

// Its ES module needs a bundler.
const { validateWorkflow } = createRequire(import.meta.url)(
  "@action-validator/core",
) as typeof import("@action-validator/core");

const WORKFLOWS = [".github/workflows/ci.yml", "kit/templates/section/.github/workflows/ci.yml"];

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<string, { readonly steps: readonly { readonly uses?: string; readonly run?: string }[] }>
  >;
}

for (const file of WORKFLOWS)
  test(`${file} fits the schema and needs no permission to write`, async () => {
    const text = await readFile(path.join(ROOT, file), "utf8");
    expect((validateWorkflow(text) as { errors: unknown[] }).errors).toEqual([]);
    expect((parse(text) as Workflow).permissions).toEqual({ contents: "read" });
  });

test("The workflow of this repository runs .ci/run", async () => {
  const { jobs } = parse(await readFile(path.join(ROOT, WORKFLOWS[0] ?? ""), "utf8")) as Workflow;
  expect(Object.values(jobs).flatMap(({ steps }) => steps.map((step) => step.run))).toContain(".ci/run");
});
