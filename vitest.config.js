import { defineConfig } from "vitest/config";

import { markdown } from "./kit/dist/build/markdown.js";

/** A package whose tests need a document, and Markdown as the build compiles it. @param {string} name */
const inDocument = (name) => ({
  plugins: [markdown()],
  test: {
    name,
    root: name,
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
});

// Component and unit tests of the packages. The site in a real browser: tests/site.
export default defineConfig({
  test: {
    projects: [
      ...["kit", "shell", "mfe-directory", "mfe-articles", "mfe-legal", "mfe-signup"].map(inDocument),
      { test: { name: "docs", root: "tests/docs", include: ["*.test.js"] } },
    ],
  },
});
