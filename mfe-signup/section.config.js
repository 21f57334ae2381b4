import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({ name: "signup", entry: "./src/section.ts" });
