import { defineConfig } from "vitest/config";

import { markdown } from "./kit/dist/build/markdown.js";

// Component and unit tests of the packages. The site in a real browser: tests/site.
const browserLike = (name: string) => ({
  plugins: [markdown()],
  test: {
    name,
    root: name,
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    css: { modules: { classNameStrategy: "non-scoped" as const } },
  },
});

export default defineConfig({
  test: {
    projects: [
      ...["shell", "mfe-directory", "mfe-articles", "mfe-legal", "mfe-signup"].map(browserLike),
      { test: { name: "kit", root: "kit", environment: "happy-dom", include: ["src/**/*.test.{ts,tsx}"] } },
    ],
  },
});
