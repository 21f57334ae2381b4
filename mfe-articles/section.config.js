import { defineConfig } from "@colonnade/cli";

export default defineConfig({ name: "articles", entry: "./src/section.ts", facts: { legalEntity: "string" } });
