import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "articles", entry: "./src/section.ts" });
