import path from "node:path";

import { defineConfig } from "vitest/config";

import { markdown } from "./packages/cli/dist/build/markdown.js";
import { reactServer } from "./packages/cli/dist/build/reactServer.js";

// In a context, Node cannot load the router's CommonJS module, because that requires an ES module.
const CONTEXT_RESOLUTION = {
  resolve: {
    alias: { "react-router-dom": path.resolve(import.meta.dirname, "node_modules/react-router-dom/dist/index.mjs") },
  },
};

// Builds and checks may run at the same time.
const testTimeout = 20_000;

// Most tests of the command build sections, and webpack loads once for each process.
const KIT = {
  pool: "forks",
  isolate: false,
  testTimeout: 300_000,
  hookTimeout: 300_000,
};

// Each file has a context of its own, which takes half as long as a process that loads the DOM and React again.
const OTHERS = { pool: "vmForks" };

/**
 * Returns the test projects of packages. `*.test.tsx` files run in happy-dom; other tests run in Node, because creating
 * a DOM takes longer than most of them. Packages share projects, because each project transforms its modules again. Markdown
 * imports and React's server renderer are those of the build.
 *
 * @param {string} name
 * @param {string} root
 * @param {typeof KIT | typeof OTHERS} more
 */
const projectsOf = (name, root, more) =>
  [
    { project: name, environment: "node", include: [`${root}/src/**/*.test.ts`] },
    { project: `${name} (DOM)`, environment: "happy-dom", include: [`${root}/src/**/*.test.tsx`] },
  ].map(({ project, ...options }) => ({
    ...(more === OTHERS && CONTEXT_RESOLUTION),
    plugins: [markdown(), reactServer(import.meta.dirname)],
    test: {
      ...options,
      testTimeout,
      ...more,
      name: project,
      setupFiles: ["tests/support/vitest-waits.ts", ...(more === KIT ? ["packages/cli/fixtures/setup.ts"] : [])],
      // The compiled command is what users run, and Node loads it faster than Vitest.
      server: { deps: { external: [/\/cli\/dist\/(build|check|cli|dev)\//] } },
      css: { modules: { classNameStrategy: "non-scoped" } },
    },
  }));

// Unit and component tests. Browser tests: tests/playwright.config.ts.
export default defineConfig({
  test: {
    // The default leaves one core idle.
    maxWorkers: "100%",
    projects: [
      ...projectsOf("cli", "packages/cli", KIT),
      ...projectsOf(
        "packages",
        "{packages/{kit,design,shell},shell,console,mfe-directory,mfe-articles,mfe-legal,mfe-signup,examples/events}",
        OTHERS,
      ),
      {
        test: {
          name: "scripts",
          include: [
            "examples/events/api/*.test.js",
            "examples/chat-webhook/*.test.js",
            "bench/*.test.mjs",
            "tests/docs/*.test.js",
          ],
          testTimeout,
        },
      },
    ],
  },
});
