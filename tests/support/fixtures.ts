import { test as base, type ConsoleMessage, type Page } from "@playwright/test";

import { published } from "./published";
import { startSite, type Site } from "./site.mjs";

/** What the browser complained about while a test ran. */
export interface Complaints {
  /** Console errors and uncaught exceptions. */
  readonly errors: string[];
  /** Content security policy violations, as `directive blocked-uri`. */
  readonly violations: string[];
}

export interface WorkerFixtures {
  /** Whether the gateway renders pages, or leaves that to the browser. */
  rendered: boolean;
  /** A site of this worker's own: gateway, releases, backend, with a partner configured. */
  site: Site;
}

export interface TestFixtures {
  /**
   * Everything the browser complains about in `page`. A test that has not emptied them by its end fails,
   * so every test also says that its screens are free of errors and policy violations.
   */
  complaints: Complaints;
}

function describe(message: ConsoleMessage): string {
  return `${message.text()} (${message.location().url})`;
}

async function listen(page: Page): Promise<Complaints> {
  const complaints: Complaints = { errors: [], violations: [] };
  page.on("console", (message) => {
    if (message.type() === "error") complaints.errors.push(describe(message));
  });
  page.on("pageerror", (error) => complaints.errors.push(error.message));
  await page.exposeFunction("complainOfPolicy", (text: string) => complaints.violations.push(text));
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) => {
      const { complainOfPolicy } = window as unknown as { complainOfPolicy: (text: string) => void };
      complainOfPolicy(`${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  return complaints;
}

/** The test function of all browser tests: `page` starts at the site, and complaints fail the test. */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  rendered: [true, { option: true, scope: "worker" }],
  site: [
    async ({ rendered }, use) => {
      const site = await startSite({ rendered, like: published() });
      await use(site);
      await site.stop();
    },
    { scope: "worker", timeout: 60_000 },
  ],
  baseURL: async ({ site }, use) => {
    await use(site.url);
  },
  complaints: [
    async ({ page }, use) => {
      const complaints = await listen(page);
      await use(complaints);
      test.expect(complaints.errors, "errors in the console").toEqual([]);
      test.expect(complaints.violations, "violations of the content security policy").toEqual([]);
    },
    { auto: true },
  ],
});

export { expect } from "@playwright/test";
