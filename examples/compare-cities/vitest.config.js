import { section } from "@colonnade/cli/vitest";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [section()],
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
  },
});
