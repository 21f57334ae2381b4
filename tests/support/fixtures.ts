import { test as base } from "@playwright/test";

import { listenForErrors, type BrowserErrors } from "./browser-errors";
import { publishedSite } from "./published-site";
import { startSite, type Site } from "./site.mjs";
import type { Development } from "./start-development";
import { startEventsSite, type EventsSite } from "./start-events-site";
import { startMinimalSite, type MinimalSite } from "./start-minimal-site";

/**
 * What tests of one worker share. All of it is here: Playwright starts another worker for a test with other worker fixtures. Only
 * those that a test uses are started.
 */
export interface WorkerFixtures {
  /** Whether the gateway renders pages; the browser does otherwise. */
  serverRendering: boolean;
  /** This worker's site: gateway, releases and backend, with a partner configured. */
  site: Site;
  /** Another site of this worker, whose gateway does not cache files in memory: tests may damage its store. */
  uncachedSite: Site;
  /** This worker's site with the events example. Tests must not break it. */
  events: EventsSite;
  /** The site of examples/minimal-shell. Tests must not break it. */
  minimal: MinimalSite;
  /** A site that accepts only HTTPS, like a production site. */
  secureSite: Site;
  /** `colonnade dev` for `secureSite`. */
  development: Development;
}

export interface TestFixtures {
  /**
   * Errors the browser reports in `page`. A test fails if any remain at its end, so every test also asserts that
   * its screens are free of errors and CSP violations.
   */
  browserErrors: BrowserErrors;
}

/** The base `test` of all browser tests: `page` opens the site, and browser errors fail the test. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  serverRendering: [true, { option: true, scope: "worker" }],
  site: [
    async ({ serverRendering }, use) => {
      const site = await startSite({ serverRendering, base: publishedSite() });
      await use(site);
      await site.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  uncachedSite: [
    async ({ site }, use) => {
      const uncached = await startSite({ base: site, config: { assets: { cache_mib: 0 } } });
      await use(uncached);
      await uncached.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  events: [
    async ({}, use) => {
      const events = await startEventsSite();
      await use(events);
      await events.site.stop();
      await events.api.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  minimal: [
    async ({}, use) => {
      const minimal = await startMinimalSite();
      await use(minimal);
      await minimal.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  secureSite: [
    async ({}, use) => {
      const { startSecureSite } = await import("./start-development");
      const secure = await startSecureSite();
      await use(secure);
      await secure.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  development: [
    async ({ secureSite }, use) => {
      // It loads the kit, which other workers do not need.
      const { startDevelopment } = await import("./start-development");
      const development = await startDevelopment(secureSite);
      await use(development);
      await development.stop();
    },
    { scope: "worker", timeout: 120_000 },
  ],
  baseURL: async ({ site }, use) => {
    await use(site.url);
  },
  browserErrors: [
    async ({ page }, use) => {
      const browserErrors = await listenForErrors(page);
      await use(browserErrors);
      test.expect(browserErrors.errors, "console errors").toEqual([]);
      test.expect(browserErrors.cspViolations, "CSP violations").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";
