import { defineConfig, type Project } from "@playwright/test";

import { launchOptions } from "./support/chromium.mjs";
import type { WorkerFixtures } from "./support/fixtures";
import { setPublishedStorePath } from "./support/published-site";

const launch = launchOptions();
setPublishedStorePath();

const BUILDS = ["ship/**/*.test.ts", "isolation/throwing-page.test.ts"];

const pictures: Project = {
  name: "pictures",
  testMatch: "gallery/pictures.test.ts",
  snapshotPathTemplate: "gallery/pictures/{arg}{ext}",
  expect: { toHaveScreenshot: { threshold: 0.02, maxDiffPixelRatio: 0.002, animations: "disabled" } },
  use: {
    deviceScaleFactor: 1,
    // Text renders the same regardless of the machine's font settings.
    launchOptions: { ...launch, args: [...launch.args, "--font-render-hinting=none", "--disable-lcd-text"] },
  },
};

export default defineConfig<object, WorkerFixtures>({
  testDir: ".",
  outputDir: "test-results",
  fullyParallel: true,
  // Tests wait for pages more than they compute: three workers keep two cores busy.
  workers: 3,
  retries: 0,
  forbidOnly: true,
  // A busy machine needs most of it.
  timeout: 120_000,
  expect: { timeout: 30_000 },
  reporter: [["line"], ["./support/slowest-tests.ts"]],
  projects: [
    { name: "publish", testMatch: "support/publish.setup.ts", teardown: "discard" },
    { name: "discard", testMatch: "support/discard.teardown.ts" },
    // Builds sections. The first build of a worker takes three seconds of CPU time longer than the others: it loads the compilers.
    // One worker would take longer than the two others for all else.
    { name: "builds", testMatch: BUILDS, workers: 2, timeout: 600_000, dependencies: ["publish"] },
    {
      name: "server-rendering",
      testMatch: "{site,journeys,rendering,section-dev,operator-console,example,deploy}/**/*.test.ts",
      dependencies: ["publish"],
    },
    // Client rendering: how the browser loads sections, and the screens that a gateway without rendering answers otherwise.
    {
      name: "client-rendering",
      testMatch: ["{isolation,deployments}/**/*.test.ts", "site/not-found.test.ts"],
      testIgnore: BUILDS,
      use: { serverRendering: false },
      dependencies: ["publish"],
    },
    { name: "gallery", testMatch: "gallery/gallery.test.ts" },
    // Soak runs also compare screenshots and try each fault on every section.
    ...(process.env.SOAK ? [pictures] : []),
  ],
  use: {
    viewport: { width: 1280, height: 800 },
    // Recording costs more than the tests. To record, run `npx --no playwright test --trace on`.
    trace: "off",
    // View transitions take a fifth of the CPU time. Tests that need motion set `reducedMotion` themselves.
    reducedMotion: process.env.SOAK ? "no-preference" : "reduce",
    launchOptions: launch,
  },
});
