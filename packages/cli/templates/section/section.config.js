import { defineConfig } from "@colonnade/cli";

export default defineConfig({ name: "section-name", entry: "./src/section.ts" });
