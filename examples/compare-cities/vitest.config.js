import { markdown } from "@colonnade/kit/build";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [markdown()],
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
});
