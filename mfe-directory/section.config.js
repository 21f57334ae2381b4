import { defineConfig } from "@colonnade/cli";

// Modules of at least three pages are part of the section's first script, so that each further page loads without them.
const COMMON = {
  name: "section",
  test: /[\\/](?:mfe-directory[\\/]src|node_modules[\\/]react)[\\/].*\.(?:js|tsx?)$/,
  chunks: "async",
  minChunks: 3,
  minSize: 0,
};

export default defineConfig({
  name: "directory",
  entry: "./src/section.ts",
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
