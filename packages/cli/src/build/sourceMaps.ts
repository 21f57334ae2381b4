import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";

import type { BuildContext } from "./context.js";
import { SOURCE_MAPS } from "./release.js";
import { BuildError } from "./usageError.js";
import { inputsBelow } from "./version.js";

const PACKAGES = "node_modules/";
const FOREIGN = /^(node_modules|webpack)\//;
// The namespace can be the name of a package with a scope.
const WEBPACK_NAMESPACE = /^webpack:\/\/(?:@[^/]+\/)?[^/]*\//;

/** The parts of a source map that are used here (ECMA-426). */
interface SourceMap {
  readonly mappings: string;
  readonly sourceRoot?: string | null;
  readonly sources: readonly (string | null)[];
  readonly sourcesContent?: readonly (string | null)[];
}

/** A source map that consists of others, each for a part of the script. */
interface IndexMap {
  readonly sections: readonly { readonly map: SourceMap }[];
}

/** What the paths in a source map are relative to. */
interface Folders {
  /** The package, to which webpack's are. */
  readonly folder: string;
  /** The folder of the source map's script. */
  readonly base: string;
}

/**
 * Moves the source maps of the scripts in the output folder to the folder of the source maps: `client/a.js.map` to
 * `server/maps/client/a.js.map`. Without source maps in the release, deletes them.
 *
 * @throws BuildError if a build command has written a file that is no source map.
 */
export async function moveSourceMaps({ folder, output, config, written }: BuildContext): Promise<void> {
  const files = (await inputsBelow(output, new Set())).map((file) => file.split(path.sep).join("/"));
  for (const file of files.filter((name) => /^(client|server)\/.*\.map$/.test(name))) {
    const source = path.join(output, file);
    if (config.sourceMaps !== false && /\.m?js\.map$/.test(file)) {
      // webpack's paths are relative to the package.
      const base = written ? path.dirname(path.join(written.folder, file)) : folder;
      const target = path.join(output, SOURCE_MAPS, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, JSON.stringify(portable(await readMap(source), { folder, base })));
    }
    await rm(source);
  }
}

async function readMap(file: string): Promise<SourceMap | IndexMap> {
  try {
    const map: unknown = JSON.parse(await readFile(file, "utf8"));
    if (isSourceMap(map) || isIndexMap(map)) return map;
  } catch {
    // Reported below.
  }
  throw new BuildError(
    `${file} is not a source map; expected JSON with the list "sources" and the string "mappings", or the list "sections" of such maps`,
  );
}

function isSourceMap(value: unknown): value is SourceMap {
  const { mappings, sourceRoot, sources, sourcesContent = [] } = (value ?? {}) as Record<keyof SourceMap, unknown>;
  const isRoot = sourceRoot === undefined || sourceRoot === null || typeof sourceRoot === "string";
  return typeof mappings === "string" && isRoot && isTexts(sources) && isTexts(sourcesContent);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => text === null || typeof text === "string");
}

function isIndexMap(value: unknown): value is IndexMap {
  const { sections } = (value ?? {}) as Record<keyof IndexMap, unknown>;
  return (
    Array.isArray(sections) && sections.every((section) => isSourceMap((section as { map?: unknown } | null)?.map))
  );
}

/**
 * The same source map on each machine: with paths relative to the package, and without the texts of packages from a registry, whose
 * folder depends on the installation, and of webpack's own modules.
 */
function portable(map: SourceMap | IndexMap, folders: Folders): object {
  if ("sections" in map)
    return { ...map, sections: map.sections.map((section) => ({ ...section, map: portable(section.map, folders) })) };
  const { sourceRoot, ...others } = map;
  const sources = map.sources.map((source) => source && portablePath(source, sourceRoot ?? "", folders));
  const sourcesContent = map.sourcesContent?.map((content, index) =>
    FOREIGN.test(sources[index] ?? "") ? null : content,
  );
  return { ...others, sources, ...(sourcesContent && { sourcesContent }) };
}

function portablePath(source: string, sourceRoot: string, folders: Folders): string {
  const root = source.includes("://") || path.isAbsolute(source) ? "" : sourceRoot.replace(/[^/]$/, "$&/");
  const file = fileOf(root + source, folders);
  if (file === undefined) return root + source;
  const own = path.relative(folders.folder, file).split(path.sep).join("/");
  const at = own.lastIndexOf(PACKAGES);
  return at < 0 ? own : own.slice(at);
}

/** The path of a source; undefined for one at a URL that names no file of this machine. */
function fileOf(source: string, { folder, base }: Folders): string | undefined {
  if (source.startsWith("file://")) {
    try {
      return fileURLToPath(source);
    } catch {
      return undefined;
    }
  }
  if (WEBPACK_NAMESPACE.test(source)) return path.resolve(folder, source.replace(WEBPACK_NAMESPACE, ""));
  return source.includes("://") ? undefined : path.resolve(base, source);
}
