// Builds the console into `dist`, which the gateway's build includes in the binary: the document, and files that have a digest
// in their name, each also in Brotli. Webpack and its loaders are those of the kit.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

import MiniCssExtractPlugin from "mini-css-extract-plugin";
import MinimizerPlugin from "minimizer-webpack-plugin";
import webpack from "webpack";

const DIST = path.join(import.meta.dirname, "dist");
const PUBLIC_PATH = "/console/";

/** @type {webpack.Configuration} */
const configuration = {
  mode: "production",
  context: import.meta.dirname,
  target: ["web", "es2022"],
  devtool: false,
  entry: { main: "./src/main.tsx" },
  output: {
    path: DIST,
    publicPath: PUBLIC_PATH,
    filename: "[name].[contenthash:8].js",
    assetModuleFilename: "[name].[contenthash:8][ext]",
  },
  resolve: { extensions: [".tsx", ".ts", ".js"], extensionAlias: { ".js": [".tsx", ".ts", ".js"] } },
  module: {
    rules: [
      {
        test: /\.tsx?$/,
        loader: "swc-loader",
        options: {
          jsc: {
            parser: { syntax: "typescript", tsx: true },
            target: "es2022",
            transform: { react: { runtime: "automatic" } },
          },
        },
      },
      {
        test: /\.css$/,
        use: [MiniCssExtractPlugin.loader, { loader: "css-loader", options: { modules: false, importLoaders: 0 } }],
      },
      { test: /\.svg$/, type: "asset/resource" },
    ],
  },
  plugins: [new MiniCssExtractPlugin({ filename: "[name].[contenthash:8].css" })],
  optimization: {
    minimizer: [
      new MinimizerPlugin({ parallel: false, test: /\.js$/, minify: MinimizerPlugin.swcMinify }),
      new MinimizerPlugin({ parallel: false, test: /\.css$/, minify: MinimizerPlugin.lightningCssMinify }),
    ],
  },
  performance: false,
};

/** @returns {Promise<string[]>} the names of the built files */
function compile() {
  return new Promise((resolve, reject) => {
    webpack(configuration, (error, stats) => {
      if (error) reject(error);
      else if (!stats || stats.hasErrors()) reject(new Error(stats?.toString({ all: false, errors: true })));
      else resolve(Object.keys(stats.compilation.assets));
    });
  });
}

/** @param {string[]} files */
function documentOf(files) {
  /** @param {string} ending */
  const url = (ending) => `${PUBLIC_PATH}${files.find((file) => file.endsWith(ending)) ?? ""}`;
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>Colonnade console</title>
    <link rel="icon" href="${url(".svg")}" />
    <link rel="stylesheet" href="${url(".css")}" />
    <script src="${url(".js")}" defer></script>
  </head>
  <body>
    <noscript>The console needs JavaScript. The command <code>colonnade</code> and the admin API do not.</noscript>
    <div id="root"></div>
  </body>
</html>
`;
}

// A file that is not written keeps its time, so that Cargo does not build the gateway again.
/** @type {(name: string, bytes: string | Buffer) => Promise<string>} */
async function write(name, bytes) {
  const file = path.join(DIST, name);
  const before = await readFile(file).catch(() => null);
  if (!before?.equals(Buffer.from(bytes))) await writeFile(file, bytes);
  return name;
}

try {
  const files = await compile();
  files.push(await write("index.html", documentOf(files)));
  const current = new Set(files);
  for (const file of files) {
    const bytes = await readFile(path.join(DIST, file));
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
    current.add(await write(`${file}.br`, brotliCompressSync(bytes, { params })));
  }
  // The folder itself and its .gitignore stay, so that Cargo can watch it.
  for (const file of await readdir(DIST)) {
    if (!current.has(file) && !file.startsWith(".")) await rm(path.join(DIST, file), { recursive: true });
  }
} catch (error) {
  console.error(`console: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(1);
}
