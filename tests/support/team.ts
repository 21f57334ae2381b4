import { execFile } from "node:child_process";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";

import type { AdminAccess } from "@colonnade/kit/build";

import { test as base } from "./beside";
import { ROOT } from "./repository.mjs";

const run = promisify(execFile);
const COMMAND = path.join(ROOT, "kit/bin/section.js");

/** The `section` command as a team runs it in a folder: returns what it printed, and throws what it complained of. */
export type RunSection = (folder: string, ...args: string[]) => Promise<string>;

/** The command for the holder of a token. */
export function sectionCommand({ url, token }: AdminAccess): RunSection {
  const env = { ...process.env, COLONNADE_ADMIN: url, COLONNADE_TOKEN: token };
  return async (folder, ...args) => {
    const { stdout } = await run(process.execPath, [COMMAND, ...args], { cwd: folder, env });
    return stdout;
  };
}

interface TeamFixtures {
  /** A folder outside the repository, empty but for what npm would have installed there. */
  folder: string;
}

/** The test function for what a team does that has a folder, a token and nothing else. */
export const test = base.extend<TeamFixtures>({
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-team-"));
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

export { expect } from "@playwright/test";
