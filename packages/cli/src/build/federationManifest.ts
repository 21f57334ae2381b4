import { writeFile } from "node:fs/promises";
import path from "node:path";

import type { ModuleFiles } from "./clientFiles.js";
import type { BuildContext } from "./context.js";
import { neededRanges } from "./shared.js";

/** Name of the manifest of a remote, as the plugins of Module Federation write it and its hosts and tools read it. */
export const MANIFEST_FILE = "mf-manifest.json";

interface ManifestAssets {
  readonly js: { readonly sync: string[]; readonly async: string[] };
  readonly css: { readonly sync: string[]; readonly async: string[] };
}

function assetsOf({ first, later }: ModuleFiles): ManifestAssets {
  const pick = (files: readonly string[], extension: string): string[] =>
    files.filter((file) => file.endsWith(extension)).map((file) => path.posix.relative("client", file));
  return {
    js: { sync: pick(first, ".js"), async: pick(later, ".js") },
    css: { sync: pick(first, ".css"), async: pick(later, ".css") },
  };
}

/**
 * Writes the manifest of a section's container, in the format of `@module-federation/enhanced` 2. `entry` is the container's
 * script, and `modules` are the files of each module by its name.
 */
export async function writeFederationManifest(
  { output, config, identity, installed }: BuildContext,
  entry: string,
  modules: ReadonlyMap<string, ModuleFiles>,
): Promise<void> {
  const { container, version } = identity;
  const none = assetsOf({ first: [], later: [] });
  const manifest = {
    id: container,
    name: container,
    metaData: {
      name: container,
      type: "app",
      buildInfo: { buildVersion: version, buildName: config.name },
      remoteEntry: { name: path.posix.relative("client", entry), path: "", type: "var" },
      // `colonnade types` reads them from an archive of another format.
      types: { path: "", name: "", zip: "", api: "" },
      globalName: container,
      publicPath: `/assets/${config.name}/${version}/`,
    },
    shared: Object.entries(neededRanges(installed)).map(([name, requiredVersion]) => ({
      id: `${container}:${name}`,
      name,
      version: installed[name],
      singleton: true,
      requiredVersion,
      assets: none,
      fallback: "",
    })),
    remotes: [],
    exposes: [...modules].map(([name, files]) => ({
      id: `${container}:${name.slice(2)}`,
      name: name.slice(2),
      assets: assetsOf(files),
      path: name,
    })),
  };
  await writeFile(path.join(output, "client", MANIFEST_FILE), `${JSON.stringify(manifest, null, 2)}\n`);
}
