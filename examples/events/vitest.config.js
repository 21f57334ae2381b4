import { section } from "@colonnade/kit/vitest";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [section()],
  test: {
    environment: "happy-dom",
    include: ["src/**/*.test.{ts,tsx}"],
  },
});
