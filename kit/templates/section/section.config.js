import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "section-name", entry: "./src/section.ts" });
