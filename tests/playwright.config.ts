import { defineConfig } from "@playwright/test";

import type { WorkerFixtures } from "./support/fixtures";
import { CHROMIUM_SWITCHES, findChromium } from "./support/chromium.mjs";

const executablePath = findChromium();

export default defineConfig<object, WorkerFixtures>({
  testDir: ".",
  outputDir: "test-results",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["line"]],
  projects: [
    { name: "by the browser", testMatch: "{site,isolation,deployments,ship}/**/*.test.ts" },
    { name: "rendered", testMatch: "rendering/**/*.test.ts", use: { rendered: true } },
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    // Recording costs more than the tests themselves: `npx playwright test --trace on` where one is wanted.
    trace: "off",
    launchOptions: { args: CHROMIUM_SWITCHES, ...(executablePath && { executablePath }) },
  },
});
