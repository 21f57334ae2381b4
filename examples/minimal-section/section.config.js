import { defineConfig } from "@colonnade/cli";

export default defineConfig({
  name: "books",
  entry: "./src/section.ts",
  facts: { address: "string", openingHours: "string[]" },
  config: { pickupDays: "number" },
});
