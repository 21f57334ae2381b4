import { defineConfig } from "@colonnade/cli";

// Modules of most pages are part of the section's first script, so that each further page loads without them. The exposed module
// loads without that script, home and the lists of cities show no ads, and they do not need to know how sign-up works.
const COMMON = {
  name: "section",
  test: /[\\/](?:mfe-directory[\\/]src(?![\\/](?:points|data[\\/]ads)\.ts)|packages[\\/]design[\\/]dist(?![\\/]site\.js)|node_modules[\\/]react)[\\/].*\.(?:js|tsx?)$/,
  chunks: "async",
  minChunks: 4,
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
      // What cities and ads share is smaller than webpack's minimum of 20 KB. What states and cities share is less than a request.
      splitChunks.minSize = 16_000;
      splitChunks.cacheGroups.common = COMMON;
    }
    return configuration;
  },
});
