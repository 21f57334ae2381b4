import { mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { test as base } from "./fixtures";
import { ROOT } from "./repository.mjs";
import { startSite, type Site, type SiteOptions } from "./site.mjs";

/** Fixtures of tests that need a separate site, or the folder of a team. */
export interface OwnSiteFixtures {
  /**
   * Starts a separate site, by default a copy of the worker's, whose gateway, backend and store the test may break.
   * It stops when the test ends.
   */
  startOwnSite: (options?: SiteOptions) => Promise<Site>;
  /** A folder outside the repository with only `node_modules`: a team has only that and a token. */
  folder: string;
}

/** The browser tests' `test` with {@link OwnSiteFixtures}. */
export const test = base.extend<OwnSiteFixtures>({
  startOwnSite: async ({ site, page }, use) => {
    const started: Site[] = [];
    await use(async (options) => {
      const own = await startSite({ base: site, ...options });
      started.push(own);
      return own;
    });
    // Close the page first: pending requests to a stopped site would be reported as errors.
    await page.close();
    await Promise.all(started.map((own) => own.stop()));
  },
  folder: async ({}, use) => {
    const folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-team-"));
    await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
    await use(folder);
    await rm(folder, { recursive: true, force: true });
  },
});

export { expect } from "@playwright/test";
