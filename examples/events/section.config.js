import { defineConfig } from "@colonnade/cli";

export default defineConfig({ name: "events", entry: "./src/section.ts" });
