import path from "node:path";

import webpack, { type Chunk, type Compilation } from "webpack";

import type { ClientFiles, SectionAssets } from "./clientFiles.js";
import type { BuildContext } from "./context.js";
import type { SharedModule, SharedVersions } from "./shared.js";
import { STYLE } from "./sharedStyles.js";
import { SECTION_CHUNK } from "./webpack.js";

type ChunkGroup = Compilation["chunkGroups"][number];

/** The files of the chunk groups that satisfy the predicate, relative to the release folder. */
export function filesOf(compilation: Compilation, predicate: (group: ChunkGroup) => boolean): string[] {
  return filesIn(compilation, compilation.chunkGroups.filter(predicate));
}

/** The scripts of each package that a shell shares, by what code imports. One that every document loads has none. */
export function sharedAssets(client: Compilation, shared: readonly SharedModule[]): Record<string, string[]> {
  const isOf = (requested: string) => (group: ChunkGroup) =>
    group.origins.some(
      ({ module, request }) => request === requested && module?.identifier().includes("data:") === true,
    );
  return Object.fromEntries(shared.map(({ name, request }) => [name, filesOf(client, isOf(request))]));
}

/** The packages that the chunks take from the shell, by what code imports. */
function consumedIn({ chunkGraph }: Compilation, chunks: Iterable<Chunk>): string[] {
  const names = [...chunks].flatMap((chunk) =>
    [...chunkGraph.getChunkModulesIterable(chunk)]
      .filter(({ type }) => type === "consume-shared-module")
      .map((module) => (module as unknown as ConsumedModule).options.shareKey),
  );
  return [...new Set(names)].sort();
}

/** The part of webpack's module of a shared package that is used here. Its types lack it. */
interface ConsumedModule {
  readonly options: { readonly shareKey: string };
}

/** Those of the ranges whose packages a client build of a section takes from the shell. */
export function consumedRanges(client: Compilation, ranges: SharedVersions = {}): SharedVersions {
  const names = new Set(consumedIn(client, client.chunks));
  return Object.fromEntries(Object.entries(ranges).filter(([name]) => names.has(name)));
}

/** The dependency of a module on an export of another. webpack's types lack the method. */
interface ExportDependency {
  readonly type: string;
  getIds?(graph: Compilation["moduleGraph"]): readonly string[];
}

/** The exports that a client build uses of packages that it takes from the shell, as paths. An empty one is a whole package. */
export function usedExports({ modules, moduleGraph }: Compilation, names: readonly string[]): Record<string, string[]> {
  const used = new Map(names.map((name) => [name, new Set<string>()]));
  for (const module of modules) {
    if (module.type !== "consume-shared-module") continue;
    const paths = used.get((module as unknown as ConsumedModule).options.shareKey);
    for (const connection of paths ? moduleGraph.getIncomingConnections(module) : []) {
      const dependency = connection.dependency as ExportDependency | null;
      if (!dependency || connection.getActiveState(undefined) === false || dependency.type === SIDE_EFFECT) continue;
      paths?.add((dependency.getIds?.(moduleGraph) ?? []).join("."));
    }
  }
  return Object.fromEntries([...used].map(([name, paths]) => [name, [...paths].sort()]));
}

/** What a server module imports, by what code imports. */
export function externalPackages({ modules }: Compilation): string[] {
  return [...modules].flatMap((module) => (module instanceof webpack.ExternalModule ? [module.userRequest] : []));
}

const SIDE_EFFECT = "harmony side effect evaluation";

/** Returns the only entry script of a list. */
export function singleFile(files: readonly string[]): string {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0)
    throw new Error(`expected one entry script, found ${String(files.length)}: ${files.join(", ")}`);
  return file;
}

function filesIn(compilation: Compilation, groups: readonly ChunkGroup[]): string[] {
  const files = groups.flatMap((group) => chunksOf(compilation, group).flatMap((chunk) => [...chunk.files]));
  return [...new Set(files)].map((file) => `client/${file}`);
}

/**
 * The chunks of a group. Those with stylesheets are last, in the order of the cascade: that of the imports. webpack orders chunks
 * by when it splits them off. The position of a file is that of its last stylesheet, because a page overrides its components.
 */
function chunksOf({ chunkGraph }: Compilation, group: ChunkGroup): Chunk[] {
  const positionOf = (chunk: Chunk): number => {
    const styles = [...(chunkGraph.getChunkModulesIterableBySourceType(chunk, STYLE) ?? [])];
    return Math.max(-1, ...styles.map((module) => group.getModulePostOrderIndex(module) ?? -1));
  };
  return group.chunks.toSorted((a, b) => positionOf(a) - positionOf(b));
}

/** The chunk groups that these groups import dynamically, directly or through other groups, except of those in `pages`. */
function lazyGroups(groups: readonly ChunkGroup[], pages: readonly ChunkGroup[] = []): ChunkGroup[] {
  const descendants = new Set<ChunkGroup>();
  const visit = (group: ChunkGroup): void => {
    for (const child of group.getChildren()) {
      if (descendants.has(child) || pages.includes(child)) continue;
      descendants.add(child);
      visit(child);
    }
  };
  groups.forEach(visit);
  return [...descendants];
}

/**
 * The stylesheets of the groups of {@link lazyGroups}. The server renders `lazy` components, so their styles belong to the first
 * view. Their scripts do not.
 */
function lazyStyles(
  compilation: Compilation,
  groups: readonly ChunkGroup[],
  pages: readonly ChunkGroup[] = [],
): string[] {
  return filesIn(compilation, lazyGroups(groups, pages)).filter(isStyle);
}

const isStyle = (file: string): boolean => file.endsWith(".css");

/** The specifiers by which the module of this path imports the group dynamically. */
function specifiersIn({ origins }: ChunkGroup, file: string): string[] {
  return origins
    .filter(({ module }) => (module as { resource?: string } | null)?.resource === file)
    .map(({ request }) => request);
}

/** The files of a section's client build. */
export function clientFiles({ folder, config }: BuildContext, compilation: Compilation): ClientFiles {
  const scripts = Object.keys(compilation.assets).filter((file) => /^entry\.[0-9a-f]+\.js$/.test(file));
  const assets = sectionAssets(compilation, path.resolve(folder, config.entry));
  return { entry: `client/${singleFile(scripts)}`, assets, compilation };
}

/** Finds the files of each page and extension in a client build. `entry` is the path of the entry module. */
export function sectionAssets(client: Compilation, entry: string): SectionAssets {
  const section = client.chunkGroups.filter((group) => group.name === SECTION_CHUNK);
  const pages = client.chunkGroups.filter((group) => specifiersIn(group, entry).length > 0);
  const common = filesIn(client, section);
  const lazy = lazyStyles(client, section, pages);
  const groupsOf = (request: string): ChunkGroup[] =>
    pages.filter((group) => specifiersIn(group, entry).includes(request));
  return {
    common,
    sharedOf: (request) =>
      consumedIn(client, new Set([...section, ...groupsOf(request)].flatMap((group) => group.chunks))),
    assetsOf(request) {
      const groups = groupsOf(request);
      const own = [...filesIn(client, groups), ...lazyStyles(client, groups)];
      const files = new Set([...lazy.filter((file) => !own.includes(file)), ...own]);
      return [...files].filter((file) => !common.includes(file));
    },
    moduleFiles(chunk) {
      const groups = client.chunkGroups.filter((group) => group.name === chunk);
      const first = [...new Set([...filesIn(client, groups), ...lazyStyles(client, groups)])];
      const later = filesIn(client, lazyGroups(groups)).filter((file) => !first.includes(file));
      return { first, later };
    },
  };
}
