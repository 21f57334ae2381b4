import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "packages", entry: "./src/section.js" });
