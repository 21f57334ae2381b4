import { defineConfig } from "@colonnade/cli";

export default defineConfig({
  name: "shell",
  kind: "shell",
  entry: "./src/shell.tsx",
  icon: "./src/icon.svg",
  meta: { "color-scheme": "light dark" },
});
