import { defineConfig } from "vitest/config";

import { markdown } from "./kit/dist/build/markdown.js";
import { reactServer } from "./kit/dist/build/reactServer.js";

/**
 * Returns the test projects of a package. `*.test.tsx` files run in happy-dom; other tests run in Node, because creating
 * a DOM takes longer than most of them. Markdown imports and React's server renderer are
 * those of the build.
 *
 * @param {string} name
 */
const projectsOf = (name) =>
  [
    { project: name, environment: "node", include: ["src/**/*.test.ts"] },
    { project: `${name} (DOM)`, environment: "happy-dom", include: ["src/**/*.test.tsx"] },
  ].map(({ project, ...options }) => ({
    plugins: [markdown(), reactServer(import.meta.dirname)],
    test: {
      ...options,
      name: project,
      root: name,
      // The compiled command is what users run, and Node loads it faster than Vitest.
      server: { deps: { external: [/\/kit\/dist\/(build|check|cli|dev)\//] } },
      css: { modules: { classNameStrategy: "non-scoped" } },
      // Builds and checks may run at the same time.
      testTimeout: 20_000,
    },
  }));

// Unit and component tests. Browser tests: tests/playwright.config.ts.
export default defineConfig({
  test: {
    // The default leaves one core idle.
    maxWorkers: "100%",
    projects: [
      ...["kit", "shell", "mfe-directory", "mfe-articles", "mfe-legal", "mfe-signup"].flatMap(projectsOf),
      { test: { name: "docs", root: "tests/docs", include: ["*.test.js"] } },
    ],
  },
});
