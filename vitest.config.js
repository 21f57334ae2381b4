import { defineConfig } from "vitest/config";

import { markdown } from "./kit/dist/build/markdown.js";

/**
 * The projects of a package, and Markdown as the build compiles it. Tests with elements, `*.test.tsx`, have a document;
 * making one takes longer than most other tests, which have none unless they ask for it.
 *
 * @param {string} name
 */
const projectsOf = (name) =>
  [
    { project: name, environment: "node", include: ["src/**/*.test.ts"] },
    { project: `${name} in a document`, environment: "happy-dom", include: ["src/**/*.test.tsx"] },
  ].map(({ project, ...options }) => ({
    plugins: [markdown()],
    test: {
      ...options,
      name: project,
      root: name,
      css: { modules: { classNameStrategy: "non-scoped" } },
      // Much else is built and checked beside them.
      testTimeout: 20_000,
    },
  }));

// Component and unit tests of the packages. The site in a real browser: tests/site.
export default defineConfig({
  test: {
    // Unless told, one core is left idle.
    maxWorkers: "100%",
    projects: [
      ...["kit", "shell", "mfe-directory", "mfe-articles", "mfe-legal", "mfe-signup"].flatMap(projectsOf),
      { test: { name: "docs", root: "tests/docs", include: ["*.test.js"] } },
    ],
  },
});
