import { defineConfig } from "@colonnade/cli";

export default defineConfig({
  name: "vite",
  entry: "./src/section.ts",
  build: { command: "node build.js", output: "dist" },
});
