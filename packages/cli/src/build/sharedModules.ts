import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";

import { compile } from "./compile.js";
import type { BuildContext } from "./context.js";
import type { ServerModules } from "./server.js";
import { omitsOf } from "./shared.js";
import { UsageError } from "./usageError.js";
import { moduleOf, SHARED_FOLDER, sharedServerConfiguration } from "./webpack.js";

/** A package that a shell shares. */
export interface SharedModule {
  /** What code imports. */
  readonly name: string;
  /** Source of a module that exports what is shared. */
  readonly source: string;
  /** What the shell imports in the browser. */
  readonly request: string;
  /** The exports that are omitted, as paths. */
  readonly omitted: readonly string[];
}

/**
 * Reads what the packages export that a shell shares. Node.js resolves them from the output folder, which is in that of the shell.
 *
 * @throws UsageError if one does not load in Node.js, or does not have an export that is omitted.
 */
export async function readSharedModules({ output, config }: BuildContext): Promise<readonly SharedModule[]> {
  const omits = omitsOf(config.shared);
  if (omits.size === 0) return [];
  const names = [...omits.keys()];
  const file = path.join(output, "exports.mjs");
  const exports = names.map((name, index) => `export * as p${String(index)} from ${JSON.stringify(name)};`);
  await writeFile(file, exports.join("\n"));
  const loaded = (await import(pathToFileURL(file).href).catch((error: unknown) => {
    throw new UsageError(`a package of \`shared\` does not load in Node.js: ${String(error)}`, { cause: error });
  })) as Readonly<Record<string, object>>;
  await rm(file);
  return names.map((name, index) => sharedModule(name, loaded[`p${String(index)}`] ?? {}, omits.get(name) ?? []));
}

function sharedModule(name: string, exported: object, omit: readonly string[]): SharedModule {
  const omitted = omittedPaths(exported, omit);
  const unknown = omit.find((each) => !omitted.some((found) => found.split(".").at(-1) === each));
  if (unknown !== undefined)
    throw new UsageError(`shared omits "${unknown}" of ${name}, which has no such export; expected one that it has`);
  const source = packageSource(name, exported, omit);
  return { name, source, request: omit.length > 0 ? moduleOf(source) : name, omitted };
}

/** The paths of omitted exports: also those of the namespaces that a package exports. */
function omittedPaths(exported: object, omit: readonly string[]): string[] {
  return Object.entries(exported).flatMap(([name, value]) => {
    if (omit.includes(name)) return [name];
    return isNamespace(value) ? omit.filter((each) => each in value).map((each) => `${name}.${each}`) : [];
  });
}

function isNamespace(value: unknown): value is object {
  return types.isModuleNamespaceObject(value);
}

/**
 * The source of a module that exports what a package exports, without what is omitted. It names each export, so that the bundler leaves
 * out the code of the others. The name of an export can be a reserved word.
 */
function packageSource(specifier: string, exported: object, omit: readonly string[]): string {
  const kept = (names: object): string[] =>
    Object.keys(names).filter((name) => !omit.includes(name) && /^[A-Za-z_$][\w$]*$/.test(name));
  const valueOf = (name: string): string => {
    const value = (exported as Readonly<Record<string, unknown>>)[name];
    if (!isNamespace(value) || !omit.some((each) => each in value)) return `shared.${name}`;
    return `{ ${kept(value)
      .map((each) => `${each}: shared.${name}.${each}`)
      .join(", ")} }`;
  };
  const names = kept(exported);
  return [
    `import * as shared from ${JSON.stringify(specifier)};`,
    ...names.map((name, index) => `const e${String(index)} = ${valueOf(name)};`),
    `export { ${names.map((name, index) => `e${String(index)} as ${name}`).join(", ")} };`,
  ].join("\n");
}

/**
 * Compiles the packages that a shell shares besides those of every shell, as one module each, which sections import by the package's
 * name. Their common code is in modules that they import by relative paths.
 *
 * @throws UsageError if a package does not compile.
 */
export async function compileSharedModules(context: BuildContext): Promise<ServerModules> {
  const { sharedModules = [] } = context;
  if (sharedModules.length === 0) return {};
  const entryOf = ({ name }: SharedModule): string => name.replaceAll("/", "+");
  const sources = Object.fromEntries(sharedModules.map((module) => [entryOf(module), module.source]));
  const compilation = await compile(sharedServerConfiguration(context, sources), context);
  const files = Object.keys(compilation.assets).filter((file) => file.endsWith(".js"));
  return Object.fromEntries([
    ...files.map((file) => [`./${file}`, `server/${SHARED_FOLDER}/${file}`]),
    ...sharedModules.map((module) => [module.name, `server/${SHARED_FOLDER}/${entryOf(module)}.js`]),
  ]) as ServerModules;
}
