import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "legal", entry: "./src/section.ts" });
