import { defineConfig } from "@colonnade/cli";

export default defineConfig({ name: "packages", entry: "./src/section.js" });
