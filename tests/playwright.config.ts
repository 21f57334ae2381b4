import { defineConfig } from "@playwright/test";

import type { WorkerFixtures } from "./support/fixtures";
import { launchOptions } from "./support/chromium.mjs";
import { nameStore } from "./support/published";

const launch = launchOptions();
nameStore();

export default defineConfig<object, WorkerFixtures>({
  testDir: ".",
  outputDir: "test-results",
  fullyParallel: true,
  // Tests wait for pages more than they compute: three keep two cores busy.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["line"]],
  projects: [
    { name: "publish", testMatch: "support/publish.setup.ts", teardown: "discard" },
    { name: "discard", testMatch: "support/discard.teardown.ts" },
    { name: "rendered", testMatch: "{site,journeys,rendering,ship}/**/*.test.ts", dependencies: ["publish"] },
    // How the browser loads sections by itself, and the screens that show best that the site needs nothing else.
    {
      name: "by the browser",
      testMatch: ["{isolation,deployments}/**/*.test.ts", "site/{home,not-found}.test.ts"],
      use: { rendered: false },
      dependencies: ["publish"],
    },
    {
      name: "gallery",
      testMatch: "gallery/**/*.test.ts",
      snapshotPathTemplate: "gallery/pictures/{arg}{ext}",
      expect: { toHaveScreenshot: { threshold: 0.02, maxDiffPixelRatio: 0.002, animations: "disabled" } },
      use: {
        deviceScaleFactor: 1,
        // Letters are drawn alike whatever the machine's settings are.
        launchOptions: { ...launch, args: [...launch.args, "--font-render-hinting=none", "--disable-lcd-text"] },
      },
    },
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    // Recording costs more than the tests themselves: `npx playwright test --trace on` where one is wanted.
    trace: "off",
    launchOptions: launch,
  },
});
