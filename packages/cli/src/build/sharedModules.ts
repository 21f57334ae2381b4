import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { types } from "node:util";

import { compile } from "./compile.js";
import type { BuildContext } from "./context.js";
import type { ServerModules } from "./server.js";
import { omitsOf, PARSER, type SharedModule } from "./shared.js";
import { UsageError } from "./usageError.js";
import { moduleOf, SHARED_FOLDER, sharedServerConfiguration } from "./webpack.js";

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
  })) as Readonly<Record<string, Exports>>;
  await rm(file);
  return names.map((name, index) => sharedModule(name, loaded[`p${String(index)}`] ?? {}, omits.get(name) ?? []));
}

/** What a package exports, by name. */
type Exports = Readonly<Record<string, unknown>>;

function sharedModule(name: string, exported: Exports, omit: readonly string[]): SharedModule {
  const omitted = omittedPaths(exported, omit);
  const unknown = omit.find((each) => !omitted.some((found) => found.split(".").at(-1) === each));
  if (unknown !== undefined)
    throw new UsageError(`shared omits "${unknown}" of ${name}, which has no such export; expected one that it has`);
  const source = packageSource(name, exported, omit);
  return { name, source, request: omit.length > 0 ? moduleOf(source) : name, omitted };
}

/** The paths of omitted exports: also those of the namespaces that a package exports. */
function omittedPaths(exported: Exports, omit: readonly string[]): string[] {
  return Object.entries(exported).flatMap(([name, value]) => {
    if (omit.includes(name)) return [name];
    return isNamespace(value) ? omit.filter((each) => each in value).map((each) => `${name}.${each}`) : [];
  });
}

function isNamespace(value: unknown): value is Exports {
  return types.isModuleNamespaceObject(value);
}

/**
 * The source of a module that exports what a package exports, without what is omitted. It names each export, so that the bundler leaves
 * out the code of the others. The name of an export can be a reserved word.
 */
function packageSource(specifier: string, exported: Exports, omit: readonly string[]): string {
  const kept = keptNames(exported, omit);
  const reduced = kept.filter((name) => {
    const value = exported[name];
    return isNamespace(value) && omit.some((each) => each in value);
  });
  return [
    `export { ${kept.filter((name) => !reduced.includes(name)).join(", ")} } from ${JSON.stringify(specifier)};`,
    ...reduced.map((name) => {
      // Two names of one namespace are those of one object.
      const first = reduced.find((other) => exported[other] === exported[name]) ?? name;
      const source = namespaceSource(specifier, first, exported, omit);
      return `export * as ${name} from ${JSON.stringify(moduleOf(source))};`;
    }),
  ].join("\n");
}

/**
 * The source of a module with the kept members of a namespace that a package exports. It takes those that are also exports of the
 * package from there: then the bundler writes both lists of names as the same text, which compresses well.
 */
function namespaceSource(specifier: string, name: string, exported: Exports, omit: readonly string[]): string {
  const from = JSON.stringify(specifier);
  const members = exported[name] as Exports;
  const kept = keptNames(members, omit);
  // Two values that are no objects can be equal, and change apart.
  const isShared = (value: unknown, other: unknown): boolean => value === other && Object(value) === value;
  const others = kept.filter((member) => !isShared(members[member], exported[member]));
  return [
    `export { ${kept.filter((member) => !others.includes(member)).join(", ")} } from ${from};`,
    // An unused one adds nothing.
    `import * as shared from ${from};`,
    ...others.map((member, index) => {
      const local = `e${String(index)}`;
      return `const ${local} = shared.${name}.${member}; export { ${local} as ${member} };`;
    }),
  ].join("\n");
}

function keptNames(exported: Exports, omit: readonly string[]): string[] {
  return Object.keys(exported).filter((name) => !omit.includes(name) && /^[A-Za-z_$][\w$]*$/.test(name));
}

/**
 * Compiles the packages that a shell shares besides those in its own module, as one module each, which sections import by the package's
 * name. Their common code is in modules that they import by relative paths.
 *
 * @throws UsageError if a package does not compile.
 */
export async function compileSharedModules(context: BuildContext): Promise<ServerModules> {
  const parser = { name: PARSER, source: `export * from ${JSON.stringify(PARSER)};` };
  const modules = [parser, ...(context.sharedModules ?? [])];
  const entryOf = ({ name }: Pick<SharedModule, "name">): string => name.replaceAll("/", "+");
  const sources = Object.fromEntries(modules.map((module) => [entryOf(module), module.source]));
  const compilation = await compile(sharedServerConfiguration(context, sources), context);
  const files = Object.keys(compilation.assets).filter((file) => file.endsWith(".js"));
  return Object.fromEntries([
    ...files.map((file) => [`./${file}`, `server/${SHARED_FOLDER}/${file}`]),
    ...modules.map((module) => [module.name, `server/${SHARED_FOLDER}/${entryOf(module)}.js`]),
  ]) as ServerModules;
}
