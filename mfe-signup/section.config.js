import { defineConfig } from "@colonnade/cli";

export default defineConfig({ name: "signup", entry: "./src/section.ts" });
