import path from "node:path";

import semver from "semver";
import webpack, { type WebpackPluginInstance } from "webpack";

import { scriptTimeout } from "../build/chunkTimeouts.js";
import { runCommand } from "../build/buildCommand.js";
import type { RemoteBuild } from "../build/commandConfig.js";
import { loadConfig, type SectionConfig } from "../build/config.js";
import { digestOf, type Release } from "../build/release.js";
import { FEDERATION_RUNTIME } from "../build/section.js";
import { installedVersions } from "../build/shared.js";
import { UsageError } from "../build/usageError.js";
import { RemoteContainer, type ContainerScript } from "./container.js";
import { readFiles, type RemoteFile } from "./files.js";
import { readRemote, type Remote } from "./manifest.js";

/** Folder of the remote's files below `client/`. They find each other by the URL of the entry. */
const REMOTE_FOLDER = "remote";

/** What a remote adds to the build of the section that adopts it. */
export interface Adopted {
  /** The section's configuration. Its modules can import what the remote exposes. */
  readonly config: SectionConfig;
  /** The files of the remote where they were built, relative to the section. */
  readonly inputs: readonly string[];
  /** Adds what the remote needs to the section's manifest. */
  readonly complete: (release: Release) => Release;
}

/** Reads the configuration of a package. Its remote, if it has one, is built unless it `isBuilt`, and part of the configuration. */
export async function loadAdopted(folder: string, isBuilt = false): Promise<SectionConfig> {
  const config = await loadConfig(folder);
  const { build } = config;
  if (!build || !("remote" in build)) return config;
  return (await adopt(folder, isBuilt ? { remote: build.remote } : build, config)).config;
}

/**
 * Builds and reads the remote of the section in a folder, with this configuration.
 *
 * @throws UsageError if the remote cannot run in a page of the site, and BuildError if its command fails.
 */
export async function adopt(
  folder: string,
  { command, remote: built }: RemoteBuild,
  config: SectionConfig,
): Promise<Adopted> {
  if (command !== undefined) await runCommand(folder, command, {});
  const remote = await readRemote(path.join(folder, built), config.name, installedVersions(folder));
  const files = await readFiles(remote, config.name);
  const entry = files.find((file) => file.path === remote.entry);
  if (!entry) throw new UsageError(`${path.join(remote.folder, remote.entry)} does not exist; build the remote again`);
  const usesRuntime = entry.contents.includes(FEDERATION_RUNTIME);
  return {
    config: { ...config, webpack: withRemote(config, remote, entry, files) },
    inputs: files.map((file) => path.posix.join(built, file.path)),
    complete: (release) => ({
      ...release,
      needsFederationRuntime: release.needsFederationRuntime === true || usesRuntime,
      shared: Object.fromEntries(
        Object.entries(release.shared).map(([name, range]) => [name, bothRanges(range, remote.shared[name])]),
      ),
    }),
  };
}

/** The function `webpack` of the section's configuration, with the remote. */
function withRemote(
  config: SectionConfig,
  remote: Remote,
  entry: RemoteFile,
  files: readonly RemoteFile[],
): NonNullable<SectionConfig["webpack"]> {
  return (configuration, context) => {
    const { plugins = [], output } = configuration;
    const script = {
      url: `${String(output?.publicPath)}${REMOTE_FOLDER}/${entry.path}`,
      integrity: digestOf(entry.contents),
      ...(remote.global !== undefined && { global: remote.global }),
      timeout: scriptTimeout(entry.contents.length),
    };
    const added =
      context.side === "client" ? [...containerPlugins(remote, script), filesPlugin(files)] : [stubPlugin(remote)];
    const adopted = { ...configuration, plugins: [...plugins, ...added] };
    return config.webpack ? config.webpack(adopted, context) : adopted;
  };
}

/** Emits the files of the remote as they are. */
function filesPlugin(files: readonly RemoteFile[]): WebpackPluginInstance {
  return {
    apply(compiler) {
      compiler.hooks.thisCompilation.tap("adopt", (compilation) => {
        const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_REPORT;
        compilation.hooks.processAssets.tap({ name: "adopt", stage }, () => {
          for (const { path: file, contents } of files)
            compilation.emitAsset(`${REMOTE_FOLDER}/${file}`, new webpack.sources.RawSource(contents), {
              minimized: true,
            });
        });
      });
    },
  };
}

/** In browsers, imports of the remote's modules get them from its container. */
function containerPlugins({ name }: Remote, script: ContainerScript): WebpackPluginInstance[] {
  // In parentheses, because webpack takes a first word for the type of the external.
  const container = `(new (${String(RemoteContainer)})(${JSON.stringify(script)}))`;
  return [
    new webpack.container.ContainerReferencePlugin({ remoteType: "var", remotes: { [name]: container } }),
    // A chunk with nothing but a remote module has no file, and then no digest.
    new webpack.NormalModuleReplacementPlugin(/^[^.]/, (resource) => {
      if (!isModuleOf(name, resource.request) || resource.contextInfo.issuer.startsWith("data:")) return;
      const request = JSON.stringify(resource.request);
      const source = `export * from ${request}; export { default } from ${request};`;
      resource.request = `data:text/javascript,${encodeURIComponent(source)}`;
    }),
  ];
}

function isModuleOf(remote: string, request: string): boolean {
  return request === remote || request.startsWith(`${remote}/`);
}

/** The server imports no module of the remote: it renders only fallbacks. */
function stubPlugin({ name, exposes }: Remote): WebpackPluginInstance {
  return new webpack.ExternalsPlugin("var", ({ request }, callback) => {
    if (!isModuleOf(name, request)) {
      callback();
      return;
    }
    const module = `.${request.slice(name.length)}`;
    if (exposes.includes(module)) callback(null, "{}");
    else callback(new Error(`the remote "${name}" exposes no ${module}; expected one of ${exposes.join(", ")}`));
  });
}

/** A version range for what fits both ranges. */
function bothRanges(range: string, other: string | undefined): string {
  if (other === undefined || semver.subset(range, other)) return range;
  if (semver.subset(other, range)) return other;
  const alternatives = new semver.Range(range).range.split("||");
  return alternatives.flatMap((one) => other.split("||").map((two) => `${one} ${two}`.trim())).join(" || ");
}
