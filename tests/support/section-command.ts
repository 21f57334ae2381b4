import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import type { AdminAccess } from "@colonnade/kit/build";

import { test as base } from "./own-site";
import { ROOT } from "./repository.mjs";

const run = promisify(execFile);
const COMMAND = path.join(ROOT, "kit/bin/section.js");

/** Runs a command in a folder. Resolves with its output; rejects if it fails. */
export async function runCommand(
  folder: string,
  [program = "", ...args]: readonly string[],
  env = process.env,
): Promise<string> {
  const { stdout } = await run(program, args, { cwd: folder, env });
  return stdout;
}

/** Runs the `section` command in a folder. Resolves with its output; rejects if it fails. */
export type RunSection = (folder: string, ...args: string[]) => Promise<string>;

/** The `section` command with this admin access, and further environment variables. */
export function sectionCommand({ url, token }: AdminAccess, variables: NodeJS.ProcessEnv = {}): RunSection {
  const env = { ...process.env, ...variables, COLONNADE_ADMIN: url, COLONNADE_TOKEN: token };
  return (folder, ...args) => runCommand(folder, [process.execPath, COMMAND, ...args], env);
}

interface TeamFixtures {
  /** A folder outside the repository with only `node_modules`. */
  folder: string;
}

/** The `test` for a team that has only a folder and a token. */
export const test = base.extend<TeamFixtures>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-team-"));
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

export { expect } from "@playwright/test";
