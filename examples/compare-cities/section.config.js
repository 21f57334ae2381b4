import { defineConfig } from "@colonnade/cli";

export default defineConfig({ name: "compare-cities", entry: "./src/section.ts" });
