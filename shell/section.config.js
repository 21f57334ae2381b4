import { defineConfig } from "@colonnade/kit/build";

export default defineConfig({
  name: "shell",
  kind: "shell",
  entry: "./src/main.tsx",
  icon: "./src/favicon.svg",
  early: "./src/early.ts",
  server: "./src/server.tsx",
});
