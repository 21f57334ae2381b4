// Builds remotes as the guides of the three plugins of Module Federation show: build.mjs (<toolchain> <name> <folder>)...
import path from "node:path";

import { ModuleFederationPlugin } from "@module-federation/enhanced/webpack";
import { ModuleFederationPlugin as RspackFederationPlugin } from "@module-federation/enhanced/rspack";
import { federation } from "@module-federation/vite";
import { rspack } from "@rspack/core";
import MiniCssExtractPlugin from "mini-css-extract-plugin";
import { build } from "vite";
import webpack from "webpack";

const root = import.meta.dirname;
const image = { test: /\.png$/, type: "asset/resource" };
const jsx = {
  jsc: { parser: { syntax: "ecmascript", jsx: true }, transform: { react: { runtime: "automatic" } } },
};

const shared = { singleton: true, requiredVersion: "^19.0.0" };

/** @param {string} name */
const optionsOf = (name) => ({
  name,
  filename: "remoteEntry.js",
  exposes: { "./App": "./src/App.jsx" },
  shared: { react: shared, "react-dom": shared },
  dts: false,
});

/**
 * Waits for a compilation.
 *
 * @param {(done: (error: Error | null, stats?: { hasErrors: () => boolean }) => void) => unknown} start
 */
const compile = (start) =>
  new Promise((resolve, reject) => {
    start((error, stats) => {
      if (error || stats?.hasErrors()) reject(error ?? new Error(String(stats)));
      else resolve(stats);
    });
  });

/** @type {Record<string, (name: string, folder: string) => Promise<unknown>>} */
const BUILDS = {
  webpack: (name, folder) =>
    compile((done) =>
      webpack(
        {
          mode: "production",
          context: root,
          entry: "./src/index.js",
          output: { path: path.join(folder, "dist"), publicPath: "auto", uniqueName: name },
          // Its own minifier takes seconds.
          optimization: { minimize: false },
          module: {
            rules: [
              { test: /\.jsx$/, loader: "swc-loader", options: jsx },
              { test: /\.css$/, use: [MiniCssExtractPlugin.loader, "css-loader"] },
              image,
            ],
          },
          plugins: [new MiniCssExtractPlugin(), new ModuleFederationPlugin(optionsOf(name))],
        },
        done,
      ),
    ),
  rspack: (name, folder) =>
    compile((done) =>
      rspack(
        {
          mode: "production",
          context: root,
          entry: "./src/index.js",
          output: { path: path.join(folder, "dist"), publicPath: "auto", uniqueName: name },
          module: {
            rules: [
              { test: /\.jsx$/, loader: "builtin:swc-loader", options: jsx, type: "javascript/auto" },
              { test: /\.css$/, use: [rspack.CssExtractRspackPlugin.loader, "css-loader"], type: "javascript/auto" },
              image,
            ],
          },
          plugins: [new rspack.CssExtractRspackPlugin(), new RspackFederationPlugin(optionsOf(name))],
        },
        done,
      ),
    ),
  vite: (name, folder) =>
    build({
      configFile: false,
      root,
      base: "./",
      logLevel: "error",
      plugins: [federation({ ...optionsOf(name), manifest: true })],
      build: { target: "chrome89", outDir: path.join(folder, "dist"), assetsInlineLimit: 0, emptyOutDir: true },
    }),
};

for (let rest = process.argv.slice(2); rest.length > 0; rest = rest.slice(3)) {
  const [toolchain = "", name = "", folder = ""] = rest;
  await BUILDS[toolchain]?.(name, folder);
}
