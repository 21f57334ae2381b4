import { builtinModules } from "node:module";
import path from "node:path";

import MiniCssExtractPlugin from "mini-css-extract-plugin";
import MinimizerPlugin from "minimizer-webpack-plugin";
import webpack, {
  type Configuration,
  type EntryObject,
  type ExternalItemFunctionData,
  type Module,
  type RuleSetRule,
  type WebpackPluginInstance,
} from "webpack";
import { SubresourceIntegrityPlugin } from "webpack-subresource-integrity";

import { NonzeroChunkIds } from "./chunkIds.js";
import { ChunkTimeouts, SCRIPT_TIMEOUT } from "./chunkTimeouts.js";
import { CONFIG_FILE, constants, UsageError, type BuildSide } from "./config.js";
import type { BuildContext } from "./context.js";
import { exposedChunk, SECTION_MODULE } from "./exposes.js";
import { FilelessChunks } from "./filelessChunks.js";
import { enhancedFederation } from "./enhancedFederation.js";
import { moduleFolders } from "./moduleFolders.js";
import { NamedFunctions } from "./namedFunctions.js";
import { PortableModuleIds } from "./moduleIds.js";
import { hasOwnCopy, OwnCopies } from "./ownCopies.js";
import { reactServerFile } from "./reactServer.js";
import { REACT_SERVER, rules } from "./rules.js";
import { SERVER_SPECIFIERS } from "./server.js";
import type { SharedModule } from "./shared.js";
import { SharedStyles, STYLE } from "./sharedStyles.js";
import { tsconfigOf } from "./tsconfig.js";
import { WithoutBuildMembers } from "./withoutBuildMembers.js";
import { WorkerImports } from "./workers.js";

/** Name of the chunk that contains the exposed module. */
export const SECTION_CHUNK = "section";
// React DOM looks for this runtime when it loads, so the module runs first.
const REFRESH_RUNTIME = path.join(import.meta.dirname, "../dev/client/refreshRuntime.js");
// Connects a section's container to the page of `colonnade dev`.
const HOT_CLIENT = path.join(import.meta.dirname, "../dev/client/hotClient.js");

// The gateway restricts the names of files, and a source file can have any name.
function assetName({ filename = "" }: { readonly filename?: string | undefined }): string {
  const { name } = path.parse(filename.replace(/[?#].*$/s, ""));
  return `${name.replaceAll(/[^\w.~@+-]+/g, "-").slice(0, 100)}.[contenthash:8][ext]`;
}

/** Whether a section is built for `colonnade dev`, with hot module replacement. */
function isHot({ config, mode }: BuildContext): boolean {
  return config.kind !== "shell" && mode.development === true;
}

// A hot update identifies modules by their IDs and files by their names, so these must not change.
const HOT_OPTIMIZATION = {
  minimize: false,
  nodeEnv: "development",
  concatenateModules: false,
  mangleExports: false,
  usedExports: false,
  moduleIds: "named",
  chunkIds: "named",
} as const;

function baseConfiguration(context: BuildContext, side: BuildSide): Configuration {
  const { folder, config, identity, output } = context;
  const tsconfig = tsconfigOf(folder);
  return {
    name: `${config.name} ${side}`,
    mode: "production",
    context: folder,
    devtool: false,
    output: {
      path: path.join(output, side),
      // Fixed before the build, so that server-rendered HTML uses the same URLs.
      publicPath: `/assets/${config.name}/${identity.version}/`,
      uniqueName: identity.container,
      assetModuleFilename: assetName,
    },
    resolve: {
      extensions: [".tsx", ".ts", ".mts", ".jsx", ".js", ".mjs", ".cjs", ".json"],
      extensionAlias: {
        ".js": [".tsx", ".ts", ".js", ".jsx"],
        ".jsx": [".tsx", ".jsx"],
        ".mjs": [".mts", ".mjs"],
      },
      ...(tsconfig !== undefined && { tsconfig }),
    },
    // Loaders resolve from this package, wherever its dependencies are installed.
    resolveLoader: { modules: moduleFolders(import.meta.dirname) },
    module: {
      rules: [
        // Bundlers permit imports without an extension in ES modules, so packages have them.
        { test: /\.m?js$/, resolve: { fullySpecified: false } },
        { oneOf: rules(context, side) },
      ],
      // The URL is a path on both sides. An absolute one would differ, because the server has no origin.
      parser: { javascript: { url: "relative" } },
      generator: { "asset/resource": { emit: side === "client" } },
    },
    plugins: [
      ...(config.define ? [new webpack.DefinePlugin(constants(config.define))] : []),
      ...(context.isCheck ? [] : [new WithoutBuildMembers()]),
    ],
    performance: false,
    infrastructureLogging: { level: "warn" },
  };
}

/** Applies the package's own `webpack` function, after everything else. */
function customized(context: BuildContext, side: BuildSide, configuration: Configuration): Configuration {
  const { folder, config } = context;
  if (!config.webpack) return configuration;
  const where = `${path.join(folder, CONFIG_FILE)}: webpack() of the ${side} build`;
  let result: unknown;
  try {
    result = config.webpack(configuration, { side });
  } catch (error) {
    throw new UsageError(`${where} failed: ${String(error)}`, { cause: error });
  }
  if (typeof result !== "object" || result === null || Array.isArray(result) || result instanceof Promise)
    throw new UsageError(`${where} returned ${describe(result)}; expected the configuration`);
  return result;
}

function describe(value: unknown): string {
  if (value instanceof Promise) return "a promise";
  return Array.isArray(value) ? "a list" : String(value);
}

/** The modules of the container, by name, each in a chunk of its own. */
function exposedModules(context: BuildContext): Record<string, { readonly import: string[]; readonly name: string }> {
  const { folder, config } = context;
  const { entry, exposes = {} } = config;
  // The container exports the last one.
  const imports = (file: string): string[] => [
    ...(isHot(context) ? [`${HOT_CLIENT}?${config.name}`] : []),
    path.resolve(folder, file),
  ];
  const modules: ReturnType<typeof exposedModules> = {
    [SECTION_MODULE]: { import: imports(entry), name: SECTION_CHUNK },
  };
  for (const [name, file] of Object.entries(exposes))
    modules[name] = { import: imports(file), name: exposedChunk(name) };
  return modules;
}

function hashOf(context: BuildContext): string {
  return isHot(context) ? "" : ".[contenthash:8]";
}

/** Module Federation, in which the shell has no part at build time: its loader provides the shared packages. */
function federation(context: BuildContext): WebpackPluginInstance {
  const { container } = context.identity;
  const options = {
    name: container,
    filename: `entry${hashOf(context)}.js`,
    library: { type: "var", name: container },
    exposes: exposedModules(context),
    shared: Object.fromEntries(
      Object.keys({ ...context.installed, ...context.siteRanges }).map((name) => [
        name,
        // The gateway compares the versions when it deploys a set, by the ranges in `release.json`.
        { singleton: true, import: false as const, requiredVersion: false as const },
      ]),
    ),
  };
  return context.config.federation === "enhanced"
    ? enhancedFederation(context.folder, options)
    : new webpack.container.ModuleFederationPlugin(options);
}

// A shared package adds no code to a section. Its own chunk would have no file, which fails to load and has no digest.
// Stylesheets are split by `SharedStyles`.
const isSplit = ({ type }: Pick<Module, "type">) => type !== "consume-shared-module" && type !== STYLE;

// Pages of a section share packages. The shell's first script has a digest of each further script, so it has few of them.
const splitChunks = (isShell: boolean) => ({
  cacheGroups: {
    default: { test: isSplit, minChunks: 2, priority: -20, reuseExistingChunk: true },
    defaultVendors: !isShell && {
      test: (module: Module) => isSplit(module) && /[\\/]node_modules[\\/]/.test(module.nameForCondition() ?? ""),
      priority: -10,
      reuseExistingChunk: true,
    },
  },
});

// Most functions of a script run at startup. With this hint, V8 compiles them eagerly on a background thread instead of
// lazily on the main thread. https://v8.dev/blog/explicit-compile-hints
const COMPILE_HINT = new webpack.BannerPlugin({
  banner: "//# allFunctionsCalledOnLoad",
  raw: true,
  test: /\.js$/,
  // After minification, which removes comments, and before the digests are computed.
  stage: webpack.Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING,
});

/** The global array through which webpack's scripts of a package find each other. */
function chunkLoadingGlobal({ identity }: BuildContext): string {
  return `webpackChunk${identity.container}`;
}

// Until the script defines it, this global is the element with that ID, if the page has one. Webpack would take the element for
// the array.
const declareChunkLoadingGlobal = (context: BuildContext) =>
  new webpack.BannerPlugin({
    banner: `var ${chunkLoadingGlobal(context)};`,
    raw: true,
    entryOnly: true,
    test: /\.js$/,
  });

const releasePlugins = ({ config }: BuildContext) => [
  ...(config.kind === "shell" ? [] : [new SharedStyles(), new FilelessChunks(), new NamedFunctions()]),
  COMPILE_HINT,
  new ChunkTimeouts(),
  new PortableModuleIds(),
  new NonzeroChunkIds(),
  new SubresourceIntegrityPlugin({ hashFuncNames: ["sha384"], hashLoading: "lazy" }),
];

// `passes` is as many as change something.
const NATIVE = { compress: { passes: 0 } };

// Starting a worker per build would take longer than they do.
const minimizers = () => [
  new MinimizerPlugin({
    parallel: false,
    test: /\.js$/,
    minify: MinimizerPlugin.swcMinify,
    minimizerOptions: NATIVE,
    extractComments: { banner: (file) => `License: ${file}` },
  }),
  new MinimizerPlugin({ parallel: false, test: /\.css$/, minify: MinimizerPlugin.lightningCssMinify }),
];

/**
 * What the runtime of Module Federation leaves out of the shell: Node.js, and remotes by the URL of a manifest. The gateway tells
 * the shell the entries of all sections.
 */
const FEDERATION_FLAGS = { FEDERATION_OPTIMIZE_NO_SNAPSHOT_PLUGIN: "true", ENV_TARGET: '"web"' };

const sharingConstants = ({ installed, sharedModules = [] }: BuildContext) => ({
  SHARED_VERSIONS: JSON.stringify(installed),
  HAS_SHARED_PACKAGES: String(sharedModules.length > 0),
});

/** Entry points of the shell that run before its main script, in order. */
export const SHELL_LIBRARIES = ["runtime", "react-dom"] as const;

/** The source of a module that shares packages. Each is a script of its own. */
function sharingSource(shared: readonly SharedModule[]): string {
  const calls = shared.map(
    ({ name, request }) => `share(${JSON.stringify(name)}, () => import(${JSON.stringify(request)}));`,
  );
  return ['import { share } from "@colonnade/shell/sharing";', ...calls].join("\n");
}

// Several scripts compile in parallel, and each runs as soon as the previous one has. A single script runs only after its
// last byte arrives, as one long task.
function shellEntry({ folder, config, mode, sharedModules = [] }: BuildContext): EntryObject {
  const [runtime, reactDom] = SHELL_LIBRARIES;
  // The entry module comes first, so that its stylesheets do.
  const start = [
    `import shell from ${JSON.stringify(path.resolve(folder, config.entry))};`,
    'import { start } from "@colonnade/shell/browser";',
    "start(shell);",
  ].join("\n");
  // Before the bootstrap, which begins to load the page's section.
  const sharing = sharedModules.length > 0 ? [moduleOf(sharingSource(sharedModules))] : [];
  return {
    [runtime]: {
      import: [...(mode.development ? [REFRESH_RUNTIME] : []), "react", ...sharing, "@colonnade/shell/bootstrap"],
    },
    [reactDom]: { import: "react-dom/client", dependOn: runtime },
    main: { import: moduleOf(start), dependOn: [...SHELL_LIBRARIES] },
  };
}

/** Returns the configuration of the client build. */
export function clientConfiguration(context: BuildContext): Configuration {
  const common = baseConfiguration(context, "client");
  const isShell = context.config.kind === "shell";
  const hot = isHot(context);
  const names = `[name]${hashOf(context)}`;
  const configuration: Configuration = {
    ...common,
    // With them, errors that browsers report have positions in the sources.
    ...(!isShell && { devtool: hot ? "source-map" : "hidden-source-map" }),
    target: ["web", "es2022"],
    entry: isShell ? shellEntry(context) : {},
    output: {
      ...common.output,
      filename: `${names}.js`,
      chunkFilename: `${names}.js`,
      devtoolModuleFilenameTemplate: hot ? "[absolute-resource-path]" : "[resource-path]",
      chunkLoadingGlobal: chunkLoadingGlobal(context),
      crossOriginLoading: "anonymous",
      // In milliseconds, and longer by the size of a chunk: see `ChunkTimeouts`. Then the chunk fails to load.
      chunkLoadTimeout: SCRIPT_TIMEOUT,
    },
    plugins: [
      ...(common.plugins ?? []),
      declareChunkLoadingGlobal(context),
      new MiniCssExtractPlugin({
        filename: `${names}.css`,
        chunkFilename: `${names}.css`,
        // The shell loads the stylesheets of a section before its code: its manifest lists them.
        runtime: isShell || hot,
      }),
      ...(isShell
        ? [new webpack.DefinePlugin({ ...sharingConstants(context), ...FEDERATION_FLAGS })]
        : [
            federation(context),
            new OwnCopies(context.folder, Object.keys(context.siteRanges ?? {})),
            new WorkerImports(),
          ]),
      ...(hot ? [new webpack.HotModuleReplacementPlugin()] : releasePlugins(context)),
    ],
    optimization: {
      ...(context.mode.development && { minimize: false, nodeEnv: "development" }),
      minimizer: minimizers(),
      splitChunks: splitChunks(isShell),
      moduleIds: "deterministic",
      chunkIds: "deterministic",
      realContentHash: true,
      ...(hot && HOT_OPTIMIZATION),
    },
  };
  return customized(context, "client", configuration);
}

/** Replaces imports of Node.js modules in packages by empty modules. Code that needs such a module throws. */
const WITHOUT_NODE: RuleSetRule = {
  test: /[\\/]node_modules[\\/]/,
  resolve: { fallback: Object.fromEntries(builtinModules.map((name) => [name, false])) },
};

/**
 * The packages of the site as externals. An ES module imports one dynamically, so that a page which does not need it does not evaluate
 * it.
 */
const siteExternals =
  ({ folder, siteRanges = {} }: BuildContext) =>
  ({ request, context, dependencyType }: ExternalItemFunctionData): Promise<string | undefined> => {
    const isOfSite = Object.hasOwn(siteRanges, request) && !hasOwnCopy(folder, context, request);
    const type = dependencyType === "commonjs" ? "module" : "import";
    return Promise.resolve(isOfSite ? `${type} ${request}` : undefined);
  };

/** Returns the configuration of a section's server module: one ES module with the shared packages as externals. */
export function serverConfiguration(context: BuildContext): Configuration {
  const configuration = serverModule(
    context,
    { index: path.resolve(context.folder, context.config.entry) },
    {
      externalsType: "module",
      externals: [...SERVER_SPECIFIERS, siteExternals(context)],
      // With it, errors that the gateway reports have positions in the sources.
      devtool: "hidden-source-map",
    },
  );
  return customized(context, "server", configuration);
}

/**
 * Returns the configuration of the shell's server module, which exports `render` and each shared package as a namespace.
 * `source` is the source of its entry.
 */
export function shellServerConfiguration(context: BuildContext, source: string): Configuration {
  return serverModule(context, { index: moduleOf(source) }, {});
}

/** Folder of the server modules of shared packages, relative to that of the shell's. */
export const SHARED_FOLDER = "shared";

/**
 * Returns the configuration of the server modules of the packages that the shell shares, besides those in its own module. `sources`
 * are the sources of their entries by name. They import each other, so that each package has one instance.
 */
export function sharedServerConfiguration(
  context: BuildContext,
  sources: Readonly<Record<string, string>>,
): Configuration {
  const entry = Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, moduleOf(source)]));
  const configuration = serverModule(context, entry, { externalsType: "module", externals: [...SERVER_SPECIFIERS] });
  return {
    ...configuration,
    output: {
      ...configuration.output,
      path: path.join(context.output, "server", SHARED_FOLDER),
      chunkFilename: "[id].js",
    },
    optimization: {
      ...configuration.optimization,
      runtimeChunk: "single",
      splitChunks: { chunks: "all", minSize: 0, cacheGroups: { defaultVendors: false } },
    },
  };
}

/** The request of a module with this source. */
export const moduleOf = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;

function serverModule(context: BuildContext, entry: Record<string, string>, overrides: Configuration): Configuration {
  const common = baseConfiguration(context, "server");
  return {
    ...common,
    ...overrides,
    target: "es2022",
    entry,
    experiments: { outputModule: true },
    output: {
      ...common.output,
      filename: "[name].js",
      module: true,
      library: { type: "module" },
      chunkFormat: "module",
      devtoolModuleFilenameTemplate: "[resource-path]",
    },
    resolve: {
      ...common.resolve,
      // Code for a browser or for Node.js uses globals that the gateway's engine lacks. These conditions select code that needs
      // neither, and packages that do not have them have a default.
      conditionNames: ["edge-light", "worker", "..."],
      // The legacy renderer needs no stream globals and is half the size. The package does not export it.
      alias: { "react-dom/server$": reactServerFile(context.folder) },
    },
    module: {
      ...common.module,
      rules: [...(common.module?.rules ?? []), REACT_SERVER, WITHOUT_NODE],
      // Workers run only in browsers.
      parser: { javascript: { ...common.module?.parser?.javascript, dynamicImportMode: "eager", worker: false } },
    },
    optimization: { splitChunks: false, runtimeChunk: false, minimizer: minimizers() },
  };
}
