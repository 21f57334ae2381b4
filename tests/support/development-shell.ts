import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { build } from "@colonnade/kit/build";

import { test as base } from "./fixtures";
import { publishedSite } from "./published-site";
import { deployPackages } from "./deploy-packages.mjs";
import { ROOT } from "./repository.mjs";
import { startSite, type Site } from "./site.mjs";

/** Builds the shell in development mode in a temporary folder and deploys it. */
async function deployDevelopmentShell(site: Site): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-shell-"));
  try {
    await cp(path.join(ROOT, "shell"), folder, {
      recursive: true,
      filter: (source) => !/[/\\](node_modules|release(\.building)?)$/.test(source),
    });
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    await build(folder, { final: false, development: true });
    await deployPackages(site.access, [folder]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The `test` for a site whose shell uses React's development build. The sections are production builds. */
export const test = base.extend<object, { site: Site }>({
  site: [
    async ({}, use) => {
      // React's development build exceeds the size budget.
      const site = await startSite({ base: publishedSite(), config: { budget: undefined } });
      try {
        await deployDevelopmentShell(site);
        await use(site);
      } finally {
        await site.stop();
      }
    },
    { scope: "worker", timeout: 240_000 },
  ],
});

export { expect } from "@playwright/test";
