import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";

import MiniCssExtractPlugin from "mini-css-extract-plugin";
import webpack, {
  type Compilation,
  type Configuration,
  type ExternalItemFunctionData,
  type Module,
  type NormalModule,
} from "webpack";

import { compile } from "../build/compile.js";
import { reactServerFile } from "../build/reactServer.js";
import { REACT_SERVER_FILE } from "../build/rules.js";
import { SERVER_MODULE, SERVER_SPECIFIERS, shellRender } from "../build/server.js";
import type { BuildContext } from "../build/context.js";
import { listFiles } from "../build/release.js";
import { hashTools } from "../build/version.js";
import { serverConfiguration } from "../build/webpack.js";
import { atImport } from "./packageImport.js";
import { isOwnSource } from "./positions.js";
import type { Problem } from "./problem.js";
import { SharedExports } from "./sharedExports.js";
import { SourceProblems } from "./sources.js";
import { findStyleProblems } from "./styles.js";

const STEPS = path.join(import.meta.dirname, "sandbox/index.js");
const SCRIPT = /\.[cm]?[jt]sx?$/;

// Conditions and fields of a package that select other files for browsers than for the gateway.
const VARIANT = /"(browser|edge-light|worker)"/;

/** The global variables of the bundles. */
const SHARED_VARIABLE = "colonnadeShared";
const SECTION_VARIABLE = "colonnadeSection";

/** A section's compiled code, and the problems that its compilation found. */
export interface SectionBundle {
  readonly file: string;
  readonly map: string;
  readonly problems: readonly Problem[];
  /** What the policy blocks if code of a package runs in a browser, at the import of the package. */
  readonly warnings: readonly Problem[];
  readonly compilation: Compilation;
  /** The positions of the parts of its declaration. */
  readonly locationOf: (part: string) => string | undefined;
}

/**
 * Compiles a section into one script in `output`, with the shared packages as externals. It is not minified and has a source
 * map, so that errors have positions.
 */
export async function compileSection(context: BuildContext, output: string): Promise<SectionBundle> {
  const { folder, written } = context;
  const sources = new SourceProblems(folder, true, written?.folder);
  const compilation = await compile(sectionConfiguration(context, output, sources), context);
  const styles = await findStyleProblems(context, compilation);
  const locationOf = sources.locationOf.bind(sources);
  const problems = [...sources.problems(), ...styles];
  const isOther = written !== undefined || [...compilation.modules].some(hasVariant);
  const inBrowser = isOther ? await warningsInBrowser(context, output) : undefined;
  const warnings = inBrowser ?? warningsOf(folder, sources, compilation);
  return { ...sectionFiles(output), problems, warnings, compilation, locationOf };
}

/** Whether a module is of a package with other files for browsers than for the gateway. */
function hasVariant(module: Module): boolean {
  const { browser, exports } = (module as Partial<NormalModule>).resourceResolveData?.descriptionFileData ?? {};
  return VARIANT.test(JSON.stringify([exports, browser !== undefined && "browser"]));
}

/** What the policy blocks in the files of packages that browsers get. Undefined if these do not compile. */
async function warningsInBrowser(context: BuildContext, output: string): Promise<readonly Problem[] | undefined> {
  const { folder, written } = context;
  const sources = new SourceProblems(folder, true, written?.folder);
  const entries = written ? await clientScripts(written.folder) : [entryOf(context)];
  const configuration = sectionConfiguration(context, path.join(output, "browser"), sources, entries);
  const resolve = { ...configuration.resolve, conditionNames: ["..."] };
  const inBrowser: Configuration = {
    ...configuration,
    ...(written && { externals: onlyOwnScripts(folder) }),
    resolve,
    target: ["web", "es2022"],
  };
  // The build of the files for browsers reports the error.
  const compilation = await compile(inBrowser, context).catch(() => undefined);
  return compilation && warningsOf(folder, sources, compilation);
}

function warningsOf(folder: string, sources: SourceProblems, compilation: Compilation): readonly Problem[] {
  return sources.warnings(compilation).map((warning) => atImport(folder, compilation, warning));
}

/** The scripts for browsers that a build command has written. */
async function clientScripts(folder: string): Promise<string[]> {
  const files = await listFiles(folder);
  return files.flatMap(({ path: name }) =>
    name.startsWith("client/") && SCRIPT.test(name) ? [path.join(folder, name)] : [],
  );
}

function entryOf({ folder, config, written }: BuildContext): string {
  return written ? path.join(written.folder, SERVER_MODULE) : path.resolve(folder, config.entry);
}

/**
 * Returns the webpack configuration of a section's script. {@link sectionFiles} returns its files. `load` of the script loads the
 * first of `entries`.
 */
export function sectionConfiguration(
  context: BuildContext,
  output: string,
  sources: SourceProblems,
  entries: readonly string[] = [entryOf(context)],
): Configuration {
  const { folder } = context;
  const imports = entries.map((entry) => `() => import(${JSON.stringify(entry)})`);
  // `import()` defers the evaluation of the section until the check's first step.
  const source = `export const [load] = [${imports.join(", ")}];`;
  const configuration = scriptConfiguration({ ...context, isCheck: true }, output, source, SECTION_VARIABLE);
  return {
    ...configuration,
    externalsType: "var",
    externals: Object.fromEntries(
      SERVER_SPECIFIERS.map((name) => [name, `${SHARED_VARIABLE}.packages[${JSON.stringify(name)}]`]),
    ),
    devtool: "source-map",
    plugins: [...(configuration.plugins ?? []), new MiniCssExtractPlugin(), sources, new SharedExports(folder)],
  };
}

/**
 * Compiles the scripts of a section that its own command builds, without packages and other files, only to read what they import.
 * Undefined if they are no TypeScript or JavaScript.
 */
export async function compileOwnScripts(context: BuildContext, output: string): Promise<Compilation | undefined> {
  const { folder } = context;
  const own = { ...context, written: undefined };
  const configuration = sectionConfiguration(own, path.join(output, "sources"), new SourceProblems(folder));
  return compile({ ...configuration, externals: onlyOwnScripts(folder) }, own).catch(() => undefined);
}

/** Leaves out what a section's scripts import, except scripts of the section. */
function onlyOwnScripts(folder: string) {
  return async ({ context: from, request, getResolve }: ExternalItemFunctionData): Promise<string | undefined> => {
    if (request.startsWith("data:")) return undefined;
    const resolve = getResolve() as (from: string, request: string) => Promise<string>;
    const file = await resolve(from, request).catch(() => undefined);
    return file !== undefined && SCRIPT.test(file) && isOwnSource(folder, file) ? undefined : "undefined";
  };
}

/** The script of a section that was compiled into `output`, and its source map. */
export function sectionFiles(output: string): Pick<SectionBundle, "file" | "map"> {
  const file = path.join(output, `${SECTION_VARIABLE}.js`);
  return { file, map: `${file}.map` };
}

/** Returns a script with the shared packages and the steps of the check. `output` is a temporary folder. */
export async function compileShared(context: BuildContext, output: string): Promise<string> {
  const react = createRequire(path.join(context.folder, "package.json")).resolve("react");
  // The script depends only on these, and compiling it takes longer than the check of a small section.
  const key = `// ${SERVER_SPECIFIERS.join()} ${JSON.stringify(context.installed)} ${await hashTools()}\n`;
  return cached(cacheFile(react), key, async () => {
    // Without what the section's own configuration adds.
    const { name, entry } = context.config;
    const plain = { ...context, config: { name, entry } };
    const configuration = sharedConfiguration(plain, output, sharedSource());
    return compileScript(plain, { ...configuration, resolve: { ...configuration.resolve, tsconfig: false } });
  });
}

/**
 * Returns the script that `colonnade dev` renders pages with: the script of {@link compileShared}, which also exports the
 * shell's `render`. `output` receives the other files of the compilation.
 */
export async function compileShellScript(context: BuildContext, output: string): Promise<string> {
  const source = `${sharedSource()}\n${shellRender(path.resolve(context.folder, context.config.entry))}`;
  return compileScript(context, sharedConfiguration(context, output, source));
}

/**
 * Compiles the script of {@link compileShellScript} into `output`, with the parts of the shell as `shell` and a source map, so that
 * errors have positions.
 */
export async function compileShellCheck(
  context: BuildContext,
  output: string,
): Promise<Pick<SectionBundle, "file" | "map">> {
  const entry = path.resolve(context.folder, context.config.entry);
  const source = `${sharedSource()}\n${shellRender(entry)}\nexport { shell };`;
  await compile({ ...sharedConfiguration(context, output, source), devtool: "source-map" }, context);
  const file = path.join(output, `${SHARED_VARIABLE}.js`);
  return { file, map: `${file}.map` };
}

/** The script has React's development build, whose errors have a text. Those of the production build have a number. */
function sharedConfiguration(context: BuildContext, output: string, source: string): Configuration {
  const configuration = scriptConfiguration(context, output, source, SHARED_VARIABLE);
  const { optimization, plugins = [] } = configuration;
  return {
    ...configuration,
    optimization: { ...optimization, nodeEnv: "development" },
    plugins: [
      ...plugins,
      new webpack.NormalModuleReplacementPlugin(REACT_SERVER_FILE, reactServerFile(context.folder, "development")),
      // This build measures durations, and the sandbox has no clock.
      new webpack.DefinePlugin({ performance: "({ now: () => 0 })" }),
    ],
  };
}

async function compileScript(context: BuildContext, configuration: Configuration): Promise<string> {
  await compile(configuration, context);
  const file = path.join(String(configuration.output?.path), `${SHARED_VARIABLE}.js`);
  const text = await readFile(file, "utf8");
  await rm(file);
  return text;
}

// Next to the installed packages, as other tools do: `npm ci` deletes it.
function cacheFile(react: string): string {
  const folder = "node_modules";
  return path.join(react.slice(0, react.lastIndexOf(folder)), folder, ".cache/colonnade/check.js");
}

/** Returns the text of a file that starts with `key`. Otherwise creates the text, and writes it to the file if possible. */
async function cached(file: string, key: string, create: () => Promise<string>): Promise<string> {
  const present = await readFile(file, "utf8").catch(() => "");
  if (present.startsWith(key)) return present;
  const text = key + (await create());
  // Renamed, because other builds may read or write it now.
  const temporary = `${file}.${randomUUID()}`;
  await mkdir(path.dirname(file), { recursive: true })
    .then(() => writeFile(temporary, text))
    .then(() => rename(temporary, file))
    .catch(() => undefined);
  return text;
}

function sharedSource(): string {
  const imports = SERVER_SPECIFIERS.map((name, index) => {
    // React's packages are CommonJS modules: their default export is the object that all importers share.
    const what = name.startsWith("react") ? "" : "* as ";
    return `import ${what}p${String(index)} from ${JSON.stringify(name)};`;
  });
  const packages = SERVER_SPECIFIERS.map((name, index) => `${JSON.stringify(name)}: p${String(index)}`);
  return [
    ...imports,
    `export { describePoints, inspectHtml, SectionCheck, takeBlocked } from ${JSON.stringify(STEPS)};`,
    `export const packages = { ${packages.join(", ")} };`,
  ].join("\n");
}

function scriptConfiguration(context: BuildContext, output: string, source: string, variable: string): Configuration {
  const server = serverConfiguration(context);
  return {
    ...server,
    name: `${context.config.name} check`,
    entry: { [variable]: `data:text/javascript,${encodeURIComponent(source)}` },
    externals: [],
    externalsType: "var",
    experiments: {},
    output: {
      ...server.output,
      path: output,
      filename: "[name].js",
      module: false,
      chunkFormat: "array-push",
      library: { name: variable, type: "var" },
      devtoolModuleFilenameTemplate: "[absolute-resource-path]",
    },
    devtool: false,
    optimization: { ...server.optimization, minimize: false, concatenateModules: false, moduleIds: "named" },
    // The build has printed them.
    ignoreWarnings: [() => true],
  };
}
