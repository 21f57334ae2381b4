import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "compare-cities", entry: "./src/section.ts" });
