import { defineConfig } from "@colonnade/cli";

// Modules of at least three pages are part of the section's first script, so that each further page loads without them. The
// exposed module loads without that script.
const COMMON = {
  name: "section",
  test: /[\\/](?:mfe-directory[\\/]src(?![\\/]points\.ts)|node_modules[\\/]react)[\\/].*\.(?:js|tsx?)$/,
  chunks: "async",
  minChunks: 3,
  minSize: 0,
};

export default defineConfig({
  name: "directory",
  entry: "./src/section.ts",
  // The types of the props for sections that fill the points.
  exposes: { "./points": "./src/points.ts" },
  webpack(configuration, { side }) {
    if (side === "client") {
      const { splitChunks } = configuration.optimization;
      // The ads, which cities and ads share, are smaller than webpack's minimum of 20 KB.
      splitChunks.minSize = 12_000;
      splitChunks.cacheGroups.common = COMMON;
    }
    return configuration;
  },
});
