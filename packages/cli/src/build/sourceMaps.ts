import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

import type { BuildContext } from "./context.js";
import { SOURCE_MAPS } from "./release.js";
import { BuildError } from "./usageError.js";
import { inputsBelow } from "./version.js";

const PACKAGES = "node_modules/";
const FOREIGN = /^(node_modules|webpack)\//;

/** The parts of a source map that are used here. */
interface SourceMap {
  readonly sourceRoot?: string;
  readonly sources: readonly (string | null)[];
  readonly sourcesContent?: readonly (string | null)[];
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
    if (config.sourceMaps !== false && file.endsWith(".js.map")) {
      // webpack's paths are relative to the package.
      const base = written ? path.dirname(path.join(written.folder, file)) : folder;
      const target = path.join(output, SOURCE_MAPS, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, JSON.stringify(portable(await readMap(source), folder, base)));
    }
    await rm(source);
  }
}

async function readMap(file: string): Promise<SourceMap> {
  try {
    const map = JSON.parse(await readFile(file, "utf8")) as Partial<SourceMap> | null;
    if (Array.isArray(map?.sources)) return map as SourceMap;
  } catch {
    // Reported below.
  }
  throw new BuildError(`${file} is not a source map; expected JSON with sources and mappings`);
}

/**
 * The same source map on each machine: with paths relative to the package, and without the texts of packages from a registry, whose
 * folder depends on the installation, and of webpack's own modules.
 */
function portable({ sourceRoot = "", ...map }: SourceMap, folder: string, base: string): SourceMap {
  const sources = map.sources.map((source) => {
    if (source === null || source.includes("://")) return source;
    const own = path
      .relative(folder, path.resolve(base, sourceRoot, source))
      .split(path.sep)
      .join("/");
    const at = own.lastIndexOf(PACKAGES);
    return at < 0 ? own : own.slice(at);
  });
  const sourcesContent = map.sourcesContent?.map((content, index) =>
    FOREIGN.test(sources[index] ?? "") ? null : content,
  );
  return { ...map, sources, ...(sourcesContent && { sourcesContent }) };
}
