import { test as base } from "./fixtures";
import { startSite, type Site, type SiteOptions } from "./site.mjs";

interface BesideFixtures {
  /**
   * Starts a site of the test's own, with a gateway, a backend and a store that the test may break; it is
   * stopped when the test ends.
   */
  beside: (options?: Omit<SiteOptions, "like">) => Promise<Site>;
}

/** Like the test function of all browser tests, for those that need a site of their own. */
export const test = base.extend<BesideFixtures>({
  beside: async ({ site }, use) => {
    const started: Site[] = [];
    await use(async (options) => {
      const own = await startSite({ ...options, like: site });
      started.push(own);
      return own;
    });
    await Promise.all(started.map((own) => own.stop()));
  },
});

export { expect } from "@playwright/test";
