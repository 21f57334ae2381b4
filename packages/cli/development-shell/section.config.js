import { defineConfig } from "@colonnade/cli";

export default defineConfig({
  name: "shell",
  kind: "shell",
  entry: "./src/shell.tsx",
  meta: { "color-scheme": "light dark" },
});
