import { test as base } from "./fixtures";
import { startSite, type Site, type SiteOptions } from "./site.mjs";

/** Fixtures of tests that need a separate site. */
export interface OwnSiteFixtures {
  /**
   * Starts a separate site, by default a copy of the worker's, whose gateway, backend and store the test may break.
   * It stops when the test ends.
   */
  startOwnSite: (options?: SiteOptions) => Promise<Site>;
}

/** The browser tests' `test` for tests that need a separate site. */
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
});

export { expect } from "@playwright/test";
