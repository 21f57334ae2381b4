import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import MiniCssExtractPlugin from "mini-css-extract-plugin";
import type { RuleSetRule, RuleSetUseItem } from "webpack";
import { parse as parseYaml } from "yaml";

import type { BuildSide } from "./config.js";
import type { BuildContext } from "./context.js";
import type { RouterLoaderOptions } from "./router-loader.js";
import { scopedStyles } from "./scopedStyles.js";

const POSTCSS_LOADER = path.join(import.meta.dirname, "postcss-loader.js");
const REFRESH_LOADER = path.join(import.meta.dirname, "refresh-loader.js");

// Rules are created for each build, because the package's own `webpack` function may change them.
function scripts(isHot: boolean): RuleSetRule[] {
  const react = { runtime: "automatic", ...(isHot && { development: true, refresh: true }) };
  const compiled = (test: RegExp, parser: object, isModule?: "unknown"): RuleSetRule => ({
    test,
    exclude: /node_modules/,
    // Packages may test whether an export exists.
    parser: { importExportsPresence: "error", reexportExportsPresence: "error" },
    use: [
      ...(isHot ? [REFRESH_LOADER] : []),
      {
        loader: "swc-loader",
        options: {
          // Webpack makes the paths of parsed maps relative. Otherwise hashes would depend on the folder of the package.
          ...{ sourceMaps: true, parseMap: true },
          ...(isModule && { isModule }),
          jsc: { parser, target: "es2022", transform: { react } },
        },
      },
    ],
  });
  return [
    // With `tsx`, `<T>(value: T) => value` would be a syntax error.
    compiled(/\.m?ts$/, { syntax: "typescript" }),
    compiled(/\.tsx$/, { syntax: "typescript", tsx: true }),
    // CommonJS modules are scripts: a module would get imports, which have no effect there.
    compiled(/\.([mc]?js|jsx)$/, { syntax: "ecmascript", jsx: true }, "unknown"),
  ];
}
// The loader removes the components' names from developer tools, so development builds do not use it.
const router = ({ config }: BuildContext): RuleSetRule => ({
  test: /[\\/]node_modules[\\/]react-router[\\/]dist[\\/].*\.mjs$/,
  loader: path.join(import.meta.dirname, "router-loader.js"),
  // An app in a section may have one.
  options: { hasDataRouter: config.kind !== "shell" } satisfies RouterLoaderOptions,
});
/** The file of React's server renderer. */
export const REACT_SERVER_FILE = /[\\/]react-dom-server-legacy\.browser\.production\.js$/;
/** Rule for React's server renderer. */
export const REACT_SERVER: RuleSetRule = {
  test: REACT_SERVER_FILE,
  loader: path.join(import.meta.dirname, "react-server-loader.js"),
};
const MARKDOWN: RuleSetRule = { test: /\.mdx?$/, loader: path.join(import.meta.dirname, "markdown-loader.js") };

function styles(context: BuildContext, side: BuildSide): RuleSetRule[] {
  // Source maps contain the absolute paths of the sources, so only the check uses them.
  const sourceMap = context.isCheck === true;
  const isExtracted = side === "client" || sourceMap;
  const rule = (test: RegExp, modules: object | false, compilers: RuleSetUseItem[]): RuleSetRule => {
    const loaders = [...postcss(context, modules === scoped), ...compilers];
    return {
      test,
      use: [
        ...(isExtracted ? [MiniCssExtractPlugin.loader] : []),
        { loader: "css-loader", options: { modules, importLoaders: loaders.length, sourceMap } },
        ...loaders,
      ],
    };
  };
  const scoped = {
    mode: "local",
    namedExport: false,
    exportLocalsConvention: "as-is",
    exportOnlyLocals: !isExtracted,
    // The section's name prevents collisions between sections with equal file names.
    localIdentName: `${context.config.name}_[local]_[hash:base64:5]`,
  };
  // The server module has no use for the text of a stylesheet.
  const global = isExtracted ? false : { mode: "global", exportOnlyLocals: true };
  const sass = [sassLoader(context)];
  return [
    rule(/\.module\.css$/, scoped, []),
    rule(/\.module\.s[ac]ss$/, scoped, sass),
    rule(/\.css$/, global, []),
    rule(/\.s[ac]ss$/, global, sass),
  ];
}

function sassLoader({ folder, isCheck = false }: BuildContext): RuleSetUseItem {
  try {
    const implementation = createRequire(path.join(folder, "package.json")).resolve("sass");
    return { loader: "sass-loader", options: { implementation, sourceMap: isCheck } };
  } catch {
    // This package does not depend on the compiler, because most sections do not need it.
    return { loader: path.join(import.meta.dirname, "missing-package-loader.js"), options: { name: "sass" } };
  }
}

function postcss(
  { folder, config: { kind, name }, isCheck = false }: BuildContext,
  isModule: boolean,
): RuleSetUseItem[] {
  const file = readdirSync(folder).find((entry) => /^postcss\.config\.(json|[mc]?[jt]s)$/.test(entry));
  // The shell's stylesheets apply to the whole document. The plugins of the package's own configuration run first.
  const plugins = kind === "shell" ? [] : [scopedStyles(name, { isModule })];
  if (file === undefined && plugins.length === 0) return [];
  const postcssOptions = { config: file === undefined ? false : path.join(folder, file), plugins };
  return [{ loader: POSTCSS_LOADER, options: { postcssOptions, sourceMap: isCheck } }];
}

/** Files whose import is their URL. */
const FILE = /\.(avif|gif|ico|jpe?g|png|svg|webp|mp3|mp4|webm|ttf|woff2?|pdf|wasm)$/i;

/** Returns the rules for a package's modules. Only the first one that matches applies. */
export function rules(context: BuildContext, side: BuildSide): RuleSetRule[] {
  return [
    // The server module of a section's own build command.
    ...(context.written ? [{ include: context.written.folder, extractSourceMap: true }] : []),
    { resourceQuery: /[?&]raw(&|$)/, type: "asset/source" },
    { resourceQuery: /[?&]url(&|$)/, type: "asset/resource" },
    // `new URL(file, import.meta.url)`, and `url(file)` in a stylesheet. Webpack inlines the data of a data URL.
    { dependency: "url", scheme: { not: /^data$/ }, type: "asset/resource" },
    { test: FILE, type: "asset/resource" },
    { test: /\.ya?ml$/, type: "json", parser: { parse: parseYaml } },
    MARKDOWN,
    ...(context.mode.development ? [] : [router(context)]),
    ...styles(context, side),
    ...scripts(side === "client" && context.config.kind !== "shell" && context.mode.development === true),
  ];
}
