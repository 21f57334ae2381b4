import { createRequire } from "node:module";
import path from "node:path";

import { ModuleFederationPlugin } from "@module-federation/enhanced/webpack";
import MiniCssExtractPlugin from "mini-css-extract-plugin";
import MinimizerPlugin from "minimizer-webpack-plugin";
import webpack, { type Configuration, type EntryObject, type RuleSetRule } from "webpack";
import { SubresourceIntegrityPlugin } from "webpack-subresource-integrity";

import type { SectionConfig } from "./config.js";
import { PortableModuleIds } from "./moduleIds.js";
import { SERVER_SPECIFIERS } from "./server.js";
import { neededRanges, SHARED_PACKAGES, type SharedVersions } from "./shared.js";
import type { BuildIdentity, BuildMode } from "./version.js";

/** Input of the webpack configurations. */
export interface BuildContext {
  /** Folder of the package. */
  readonly folder: string;
  /** Folder that the release is written to. */
  readonly output: string;
  readonly config: SectionConfig;
  readonly identity: BuildIdentity;
  readonly installed: SharedVersions;
  readonly mode: BuildMode;
}

/** Name of the module that a section's container exposes: its entry module. */
export const EXPOSED_MODULE = "./section";
/** Name of the chunk that contains the exposed module. */
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
// The loader removes the components' names from developer tools, so development builds do not use it.
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
              // `pure` fails the build if a selector could match elements outside the section. Otherwise publishing would fail.
              mode: context.config.kind === "shell" ? "local" : "pure",
              namedExport: false,
              exportLocalsConvention: "as-is",
              exportOnlyLocals: side === "server",
              // The section's name prevents collisions between sections with equal file names.
              localIdentName: `${context.config.name}_[local]_[hash:base64:6]`,
            },
          },
        },
      ],
    },
    { test: /\.css$/, exclude: /\.module\.css$/, use: side === "client" ? [...extract, "css-loader"] : ["css-loader"] },
  ];
}

function baseConfiguration(context: BuildContext, side: "client" | "server"): Configuration {
  return {
    name: `${context.config.name} ${side}`,
    mode: "production",
    context: context.folder,
    devtool: false,
    output: {
      path: path.join(context.output, side),
      // Fixed before the build, so that server-rendered HTML uses the same URLs.
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

// Loaders resolve from the kit, wherever its dependencies are installed.
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
        ? // The shell uses its own versions, so it skips the version check at startup.
          { singleton: true, eager: true, requiredVersion: false, version: context.installed[name] }
        : { singleton: true, strictVersion: true, import: false, requiredVersion: ranges[name] },
    ]),
  );
}

function federation(context: BuildContext): ModuleFederationPlugin {
  const isShell = context.config.kind === "shell";
  // The plugin embeds this version in the code. It defaults to the version of the package in the working directory.
  process.env.MF_BUILD_VERSION = context.identity.version;
  return new ModuleFederationPlugin({
    name: isShell ? "shell" : context.identity.container,
    ...(isShell
      ? { remotes: {} }
      : {
          filename: "entry.[contenthash:8].js",
          library: { type: "var", name: context.identity.container },
          exposes: {
            [EXPOSED_MODULE]: { import: path.resolve(context.folder, context.config.entry), name: SECTION_CHUNK },
          },
        }),
    shared: sharedOptions(context),
    // The default loads every section's entry at startup, so one unavailable section would break the page.
    shareStrategy: "loaded-first",
    dts: false,
    manifest: false,
    // By default the plugin writes a file to node_modules in the working directory.
    virtualRuntimeEntry: true,
    experiments: {
      // Sections use the shell's federation runtime.
      externalRuntime: !isShell,
      optimization: { disableSnapshot: true, disableRemote: !isShell, target: "web" },
    },
  });
}

// A shared package adds no code to a section. Its own chunk would have no file, which fails to load and has no digest.
const SPLIT_CHUNKS = {
  cacheGroups: {
    default: {
      test: (module: { readonly type: string }) => module.type !== "consume-shared-module",
      minChunks: 2,
      priority: -20,
      reuseExistingChunk: true,
    },
  },
};

// Most functions of a script run at startup. With this hint, V8 compiles them eagerly on a background thread instead of
// lazily on the main thread. https://v8.dev/blog/explicit-compile-hints
const COMPILE_HINT = new webpack.BannerPlugin({
  banner: "//# allFunctionsCalledOnLoad",
  raw: true,
  test: /\.js$/,
  // After minification, which removes comments, and before the digests are computed.
  stage: webpack.Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING,
});

// Both minifiers are native code. Starting a worker per build would take longer than they do.
const MINIMIZERS = [
  new MinimizerPlugin({ parallel: false, test: /\.js$/, minify: MinimizerPlugin.swcMinify }),
  new MinimizerPlugin({ parallel: false, test: /\.css$/, minify: MinimizerPlugin.lightningCssMinify }),
];

/** Entry points of the shell that run before its main script, in order. */
export const SHELL_LIBRARIES = ["runtime", "react-dom"] as const;

// Several scripts compile in parallel, and each runs as soon as the previous one has. A single script runs only after its
// last byte arrives, as one long task.
function shellEntry({ folder, config }: BuildContext): EntryObject {
  const [runtime, reactDom] = SHELL_LIBRARIES;
  const federationRuntime = "@module-federation/enhanced/runtime";
  return {
    [runtime]: {
      import: config.bootstrap ? [federationRuntime, path.resolve(folder, config.bootstrap)] : federationRuntime,
    },
    [reactDom]: { import: "react-dom/client", dependOn: runtime },
    main: { import: path.resolve(folder, config.entry), dependOn: [...SHELL_LIBRARIES] },
  };
}

/** Returns the configuration of the client build. */
export function clientConfiguration(context: BuildContext): Configuration {
  const common = baseConfiguration(context, "client");
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
      // In milliseconds. After the timeout the chunk fails to load, and the section's fallback is shown.
      chunkLoadTimeout: 8_000,
    },
    plugins: [
      new MiniCssExtractPlugin({ filename: "[name].[contenthash:8].css", chunkFilename: "[name].[contenthash:8].css" }),
      federation(context),
      // The federation runtime reads its debug flag from localStorage, which blocks the main thread.
      ...(isShell ? [new webpack.DefinePlugin({ "window.localStorage": "undefined" })] : []),
      COMPILE_HINT,
      new PortableModuleIds(),
      new SubresourceIntegrityPlugin({ hashFuncNames: ["sha384"], hashLoading: "lazy" }),
    ],
    optimization: {
      ...(context.mode.development && { minimize: false, nodeEnv: "development" }),
      minimizer: MINIMIZERS,
      splitChunks: SPLIT_CHUNKS,
      moduleIds: "deterministic",
      chunkIds: "deterministic",
      realContentHash: true,
    },
  };
}

/** Returns the configuration of a section's server module: one ES module with the shared packages as externals. */
export function serverConfiguration(context: BuildContext): Configuration {
  return serverModule(context, path.resolve(context.folder, context.config.entry), {
    externalsType: "module",
    externals: [...SERVER_SPECIFIERS],
  });
}

/**
 * Returns the configuration of the shell's server module, which exports `render` and each shared package as a namespace.
 * `source` is the source of its entry.
 */
export function shellServerConfiguration(context: BuildContext, source: string): Configuration {
  return serverModule(context, `data:text/javascript,${encodeURIComponent(source)}`, {});
}

function serverModule(context: BuildContext, entry: string, overrides: Configuration): Configuration {
  const common = baseConfiguration(context, "server");
  return {
    ...common,
    ...overrides,
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
      // The legacy renderer needs no stream globals and is half the size. The package does not export it.
      alias: { "react-dom/server$": reactServer(context.folder) },
    },
    module: { ...common.module, parser: { javascript: { dynamicImportMode: "eager" } } },
    optimization: { splitChunks: false, runtimeChunk: false, minimizer: MINIMIZERS },
  };
}

function reactServer(folder: string): string {
  const require = createRequire(path.join(folder, "package.json"));
  return path.join(path.dirname(require.resolve("react-dom")), "cjs/react-dom-server-legacy.browser.production.js");
}
