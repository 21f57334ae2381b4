import { defineConfig } from "@colonnade/cli";

export default defineConfig({
  name: "legal",
  entry: "./src/section.ts",
  facts: {
    legalEntity: "string",
    processingCountry: "string",
    retention: "string",
    governingLaw: "string",
    exit: "string",
  },
  // A dialog, which links of all sections open.
  exposes: { "./receipt": "./src/dialogs/receipt.tsx" },
});
