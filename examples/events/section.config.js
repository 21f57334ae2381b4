import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "events", entry: "./src/section.ts" });
