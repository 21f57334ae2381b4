import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "directory", entry: "./src/section.ts" });
