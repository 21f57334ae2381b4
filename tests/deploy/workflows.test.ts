// The workflows of GitHub Actions: that of this repository, and that of a new section.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

import { parse } from "yaml";

import { expect, test } from "../support/own-pages";
import { ROOT } from "../support/repository.mjs";

// Its ES module needs a bundler.
const { validateWorkflow } = createRequire(import.meta.url)(
  "@action-validator/core",
) as typeof import("@action-validator/core");

const WORKFLOWS = [".github/workflows/ci.yml", "packages/cli/templates/section/.github/workflows/ci.yml"];

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

interface Job {
  readonly "timeout-minutes"?: number;
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

function read(file: string): Promise<string> {
  return readFile(path.join(ROOT, file), "utf8");
}

for (const file of WORKFLOWS)
  test(`${file} fits the schema and needs no permission to write`, async () => {
    const text = await read(file);
    expect((validateWorkflow(text) as { errors: unknown[] }).errors).toEqual([]);
    expect((parse(text) as Workflow).permissions).toEqual({ contents: "read" });
  });

test("The jobs of this repository run what `make test` runs, each for a limited time", async () => {
  const jobs = Object.values((parse(await read(".github/workflows/ci.yml")) as Workflow).jobs);
  const commands = jobs.flatMap(({ steps }) => steps.map(({ run = "" }) => run));
  const targets = commands.flatMap((command) => /^make (.+)$/.exec(command)?.[1]?.split(" ") ?? []);
  expect(targets.sort()).toEqual(["lint", "test-api", "test-rust", "test-site", "test-web"]);
  const defined = [...(await read("Makefile")).matchAll(/^([\w-]+):/gm)].map(([, target]) => target);
  expect(defined).toEqual(expect.arrayContaining(targets));
  expect(jobs.map((job) => typeof job["timeout-minutes"])).toEqual(jobs.map(() => "number"));
});

test("Actions of others are pinned by commit", async () => {
  const { jobs } = parse(await read(".github/workflows/ci.yml")) as Workflow;
  const actions = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  expect(actions.filter((action) => !/^actions\/[\w-]+@v\d+$|@[0-9a-f]{40}$/.test(action))).toEqual([]);
});
