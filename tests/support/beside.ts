import { test as base } from "./fixtures";
import { startSite, type Site, type SiteOptions } from "./site.mjs";

/** What such a test is given. */
export interface BesideFixtures {
  /**
   * Starts a site of the test's own, with a gateway, a backend and a store that the test may break: a copy of
   * the worker's, unless told otherwise. It is stopped when the test ends.
   */
  beside: (options?: SiteOptions) => Promise<Site>;
}

/** Like the test function of all browser tests, for those that need a site of their own. */
export const test = base.extend<BesideFixtures>({
  beside: async ({ site, page }, use) => {
    const started: Site[] = [];
    await use(async (options) => {
      const own = await startSite({ like: site, ...options });
      started.push(own);
      return own;
    });
    // Whatever the page is still fetching would fail, and be complained of, without its site.
    await page.close();
    await Promise.all(started.map((own) => own.stop()));
  },
});

export { expect } from "@playwright/test";
