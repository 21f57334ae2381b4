import { defineConfig } from "@colonnade/cli";

export default defineConfig({
  name: "signup",
  entry: "./src/section.ts",
  facts: { exit: "string" },
  // A dialog, which buttons of all sections open.
  exposes: { "./join": "./src/dialogs/join.tsx" },
});
