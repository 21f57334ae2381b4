import path from "node:path";

import { defineConfig } from "vitest/config";

import { markdown } from "./kit/dist/build/markdown.js";
import { reactServer } from "./kit/dist/build/reactServer.js";

// In a context, Node cannot load the router's CommonJS module, because that requires an ES module.
const CONTEXT_RESOLUTION = {
  resolve: {
    alias: { "react-router-dom": path.resolve(import.meta.dirname, "node_modules/react-router-dom/dist/index.mjs") },
  },
};

// Builds and checks may run at the same time.
const testTimeout = 20_000;

// Most tests of the kit build sections, and webpack loads once for each process. Elsewhere, each file has a context of its
// own, which takes half as long as a process that loads the DOM and React again.
const KIT = {
  pool: "forks",
  isolate: false,
  setupFiles: ["fixtures/setup.ts"],
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

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
    ...(project !== "kit" && CONTEXT_RESOLUTION),
    plugins: [markdown(), reactServer(import.meta.dirname)],
    test: {
      ...options,
      testTimeout,
      ...(project === "kit" ? KIT : { pool: "vmForks" }),
      name: project,
      root: name,
      // The compiled command is what users run, and Node loads it faster than Vitest.
      server: { deps: { external: [/\/kit\/dist\/(build|check|cli|dev)\//] } },
      css: { modules: { classNameStrategy: "non-scoped" } },
    },
  }));

// Unit and component tests. Browser tests: tests/playwright.config.ts.
export default defineConfig({
  test: {
    // The default leaves one core idle.
    maxWorkers: "100%",
    projects: [
      ...[
        "kit",
        "shell",
        "console",
        "mfe-directory",
        "mfe-articles",
        "mfe-legal",
        "mfe-signup",
        "examples/events",
      ].flatMap(projectsOf),
      { test: { name: "events-api", root: "examples/events/api", include: ["*.test.js"], testTimeout } },
      { test: { name: "bench", root: "bench", include: ["*.test.mjs"], testTimeout } },
      { test: { name: "docs", root: "tests/docs", include: ["*.test.js"], testTimeout } },
    ],
  },
});
