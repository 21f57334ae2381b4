import { createRequire } from "node:module";
import path from "node:path";

import { ModuleFederationPlugin } from "@module-federation/enhanced/webpack";
import CssMinimizerPlugin from "css-minimizer-webpack-plugin";
import MiniCssExtractPlugin from "mini-css-extract-plugin";
import webpack, { type Configuration, type EntryObject, type RuleSetRule } from "webpack";
import { SubresourceIntegrityPlugin } from "webpack-subresource-integrity";

import type { SectionConfig } from "./config.js";
import { PortableModuleIds } from "./moduleIds.js";
import { SERVER_SPECIFIERS } from "./server.js";
import { neededRanges, SHARED_PACKAGES, type SharedVersions } from "./shared.js";
import type { BuildIdentity, BuildMode } from "./version.js";

/** Everything the configurations are made from. */
export interface BuildContext {
  /** The package's folder. */
  readonly folder: string;
  /** Where the release is assembled. */
  readonly output: string;
  readonly config: SectionConfig;
  readonly identity: BuildIdentity;
  readonly installed: SharedVersions;
  readonly mode: BuildMode;
}

/** Name under which a section's container exposes its `defineSection`. */
export const EXPOSED = "./section";
/** Name of the chunk that holds it. */
export const SECTION_CHUNK = "section";

const SCRIPT: RuleSetRule = {
  test: /\.[jt]sx?$/,
  exclude: /node_modules/,
  loader: "swc-loader",
  options: {
    jsc: {
      parser: { syntax: "typescript", tsx: true },
      target: "es2022",
      transform: { react: { runtime: "automatic" } },
    },
  },
};
// What makes components droppable takes their names from developers' tools.
const ROUTER: RuleSetRule = {
  test: /[\\/]node_modules[\\/]react-router[\\/]dist[\\/].*\.mjs$/,
  loader: path.join(import.meta.dirname, "router-loader.js"),
};
const MARKDOWN: RuleSetRule = { test: /\.md$/, loader: path.join(import.meta.dirname, "markdown-loader.js") };

function styles(context: BuildContext, side: "client" | "server"): RuleSetRule[] {
  const extract = side === "client" ? [MiniCssExtractPlugin.loader] : [];
  return [
    {
      test: /\.module\.css$/,
      use: [
        ...extract,
        {
          loader: "css-loader",
          options: {
            modules: {
              // A section that styles what is not its own learns it here, not when it is published.
              mode: context.config.kind === "shell" ? "local" : "pure",
              namedExport: false,
              exportLocalsConvention: "as-is",
              exportOnlyLocals: side === "server",
              // The section's name keeps two sections with a file of the same name apart.
              localIdentName: `${context.config.name}_[local]_[hash:base64:6]`,
            },
          },
        },
      ],
    },
    { test: /\.css$/, exclude: /\.module\.css$/, use: side === "client" ? [...extract, "css-loader"] : ["css-loader"] },
  ];
}

function base(context: BuildContext, side: "client" | "server"): Configuration {
  return {
    name: `${context.config.name} ${side}`,
    mode: "production",
    context: context.folder,
    devtool: false,
    output: {
      path: path.join(context.output, side),
      // The address is known before the release exists, and is the same for the server's HTML.
      publicPath: `/assets/${context.config.name}/${context.identity.version}/`,
      uniqueName: context.identity.container,
      assetModuleFilename: "[name].[contenthash:8][ext]",
    },
    resolve: { extensions: [".tsx", ".ts", ".js"], extensionAlias: { ".js": [".tsx", ".ts", ".js"] } },
    resolveLoader: { modules: [path.join(import.meta.dirname, "../../node_modules"), ...loaderFolders()] },
    module: {
      rules: [
        SCRIPT,
        MARKDOWN,
        ...(context.mode.development ? [] : [ROUTER]),
        ...styles(context, side),
        { test: /\.(svg|png|woff2)$/, type: "asset/resource", generator: { emit: side === "client" } },
      ],
    },
    performance: false,
    infrastructureLogging: { level: "warn" },
  };
}

// Loaders belong to the kit, wherever its dependencies were installed.
function loaderFolders(): string[] {
  const folders: string[] = [];
  for (let folder = import.meta.dirname; folder !== path.dirname(folder); folder = path.dirname(folder)) {
    folders.push(path.join(folder, "node_modules"));
  }
  return folders;
}

function sharedOptions(context: BuildContext): Record<string, object> {
  const ranges = neededRanges(context.installed);
  return Object.fromEntries(
    SHARED_PACKAGES.map((name) => [
      name,
      context.config.kind === "shell"
        ? // What the shell brings suits the shell: no version has to be read and compared before anything is drawn.
          { singleton: true, eager: true, requiredVersion: false, version: context.installed[name] }
        : { singleton: true, strictVersion: true, import: false, requiredVersion: ranges[name] },
    ]),
  );
}

function federation(context: BuildContext): ModuleFederationPlugin {
  const isShell = context.config.kind === "shell";
  // The plugin puts a version into the code; left alone, that of whatever package it finds in the working directory.
  process.env.MF_BUILD_VERSION = context.identity.version;
  return new ModuleFederationPlugin({
    name: isShell ? "shell" : context.identity.container,
    ...(isShell
      ? { remotes: {} }
      : {
          filename: "entry.[contenthash:8].js",
          library: { type: "var", name: context.identity.container },
          exposes: { [EXPOSED]: { import: path.resolve(context.folder, context.config.entry), name: SECTION_CHUNK } },
        }),
    shared: sharedOptions(context),
    // The default would load every section's entry at start, and one dead section would take the page along.
    shareStrategy: "loaded-first",
    dts: false,
    manifest: false,
    // Otherwise a file in the working directory's node_modules.
    virtualRuntimeEntry: true,
    experiments: {
      // The shell ships the federation runtime once, for itself and all sections.
      externalRuntime: !isShell,
      optimization: { disableSnapshot: true, disableRemote: !isShell, target: "web" },
    },
  });
}

// A shared package leaves no code in a section. Split off by itself it would be a chunk without a file,
// which nothing can load and no digest describes.
const SPLIT = {
  cacheGroups: {
    default: {
      test: (module: { readonly type: string }) => module.type !== "consume-shared-module",
      minChunks: 2,
      priority: -20,
      reuseExistingChunk: true,
    },
  },
};

// Much of a script is called as it starts. Told so, a browser compiles it all where it arrives, beside the page's own
// thread, which otherwise does so function by function. https://v8.dev/blog/explicit-compile-hints
const EAGER = new webpack.BannerPlugin({
  banner: "//# allFunctionsCalledOnLoad",
  raw: true,
  test: /\.js$/,
  // After the minifier, which drops it, and before digests are made.
  stage: webpack.Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING,
});

/** The scripts of a shell before its main script, in the order in which they run. */
export const SHELL_LIBRARIES = ["runtime", "react-dom"] as const;

// One script would be compiled by one thread, and none of it run before the last byte is there. Of several, each runs as
// soon as those before it have: what a visitor waits for begins earlier, in shorter tasks.
function shellEntry({ folder, config }: BuildContext): EntryObject {
  const [runtime, reactDom] = SHELL_LIBRARIES;
  const federationRuntime = "@module-federation/enhanced/runtime";
  return {
    [runtime]: { import: config.early ? [federationRuntime, path.resolve(folder, config.early)] : federationRuntime },
    [reactDom]: { import: "react-dom/client", dependOn: runtime },
    main: { import: path.resolve(folder, config.entry), dependOn: [...SHELL_LIBRARIES] },
  };
}

/** The configuration of what the browser loads. */
export function clientConfiguration(context: BuildContext): Configuration {
  const common = base(context, "client");
  const isShell = context.config.kind === "shell";
  return {
    ...common,
    target: ["web", "es2022"],
    entry: isShell ? shellEntry(context) : {},
    output: {
      ...common.output,
      filename: "[name].[contenthash:8].js",
      chunkFilename: "[name].[contenthash:8].js",
      crossOriginLoading: "anonymous",
      // A chunk that hangs is a chunk that failed: the visitor gets the section's fallback.
      chunkLoadTimeout: 8_000,
    },
    plugins: [
      new MiniCssExtractPlugin({ filename: "[name].[contenthash:8].css", chunkFilename: "[name].[contenthash:8].css" }),
      federation(context),
      // The federation asks there whether it is debugged: a question that waits for the browser's own process.
      ...(isShell ? [new webpack.DefinePlugin({ "window.localStorage": "undefined" })] : []),
      EAGER,
      new PortableModuleIds(),
      new SubresourceIntegrityPlugin({ hashFuncNames: ["sha384"], hashLoading: "lazy" }),
    ],
    optimization: {
      ...(context.mode.development && { minimize: false, nodeEnv: "development" }),
      minimizer: ["...", new CssMinimizerPlugin({ minify: CssMinimizerPlugin.lightningCssMinify })],
      splitChunks: SPLIT,
      moduleIds: "deterministic",
      chunkIds: "deterministic",
      realContentHash: true,
    },
  };
}

/** The configuration of a section's server module: one ES module that imports the shared packages by name. */
export function serverConfiguration(context: BuildContext): Configuration {
  return serverModule(context, path.resolve(context.folder, context.config.entry), {
    externalsType: "module",
    externals: [...SERVER_SPECIFIERS],
  });
}

/**
 * The shell's server module: its `render`, and each shared package as one namespace, so that all of them are there
 * once. `source` is the text of its entry.
 */
export function shellServerConfiguration(context: BuildContext, source: string): Configuration {
  return serverModule(context, `data:text/javascript,${encodeURIComponent(source)}`, {});
}

function serverModule(context: BuildContext, entry: string, more: Configuration): Configuration {
  const common = base(context, "server");
  return {
    ...common,
    ...more,
    target: "es2022",
    entry: { index: entry },
    experiments: { outputModule: true },
    output: {
      ...common.output,
      filename: "[name].js",
      module: true,
      library: { type: "module" },
      chunkFormat: "module",
    },
    resolve: {
      ...common.resolve,
      // The renderer without streams needs no globals and is half the size. It is not exported by its package.
      alias: { "react-dom/server$": reactServer(context.folder) },
    },
    module: { ...common.module, parser: { javascript: { dynamicImportMode: "eager" } } },
    optimization: { splitChunks: false, runtimeChunk: false },
  };
}

function reactServer(folder: string): string {
  const require = createRequire(path.join(folder, "package.json"));
  return path.join(path.dirname(require.resolve("react-dom")), "cjs/react-dom-server-legacy.browser.production.js");
}
