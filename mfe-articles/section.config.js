import { defineConfig } from "@colonnade/cli";

import { warnOfOldGuides } from "./scripts/old-guides.mjs";

warnOfOldGuides();

export default defineConfig({
  name: "articles",
  entry: "./src/section.ts",
  facts: { legalEntity: "string", exit: "string" },
});
