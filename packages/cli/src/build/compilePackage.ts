import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";

import webpack, { type Compilation, type Compiler, type Configuration } from "webpack";

import { combineErrors, compile } from "./compile.js";
import type { BuildContext } from "./context.js";
import { compiledFiles } from "./outside.js";
import { UNKNOWN_INPUTS, type BuildIdentity } from "./version.js";
import { clientConfiguration } from "./webpack.js";

/** Computes the identity of a build from the files outside of the package that it read. */
export type Identify = (outside: readonly string[]) => Promise<BuildIdentity>;

/** The two compilations of a package. */
export interface CompiledPackage {
  /** With the identity of the build. */
  readonly context: BuildContext;
  readonly client: Compilation;
  readonly server: Compilation;
  /** The files outside of the package that both read, relative to the package. */
  readonly outside: readonly string[];
}

/**
 * Compiles the client and the server module of a package. The URLs and global variables in them contain a hash of all files that
 * the compilations read, which are known when both have read theirs. Until then, {@link UNKNOWN_INPUTS} stands for the hash.
 *
 * @throws BuildError with the errors of both.
 */
export async function compilePackage(
  context: BuildContext,
  serverConfiguration: Configuration,
  identify: Identify,
): Promise<CompiledPackage> {
  const { folder, output } = context;
  const compilingServer = compile(serverConfiguration, context);
  let outside: readonly string[] = [];
  let { identity } = context;
  const inputsHash = new InputsHash(async (client) => {
    const server = await compilingServer.catch(() => undefined);
    outside = await compiledFiles(folder, client, ...(server ? [server] : []));
    identity = await identify(outside);
    return identity.inputs;
  });
  const configuration = clientConfiguration(context);
  const plugins = [...(configuration.plugins ?? []), inputsHash];
  const compilingClient = compile({ ...configuration, plugins }, context);
  const [client, server] = await Promise.allSettled([compilingClient, compilingServer]);
  if (client.status === "rejected")
    throw server.status === "rejected" ? combineErrors(client.reason, server.reason) : client.reason;
  if (server.status === "rejected") throw server.reason;
  for (const name of Object.keys(server.value.assets)) {
    const file = path.join(output, "server", name);
    await writeFile(file, withInputs(await readFile(file, "utf8"), identity.inputs));
  }
  return { context: { ...context, identity }, client: client.value, server: server.value, outside };
}

function withInputs(text: string, inputs: string): string {
  return text.replaceAll(UNKNOWN_INPUTS, inputs);
}

/** Replaces {@link UNKNOWN_INPUTS} in the files of a compilation, before webpack computes their names and digests. */
class InputsHash {
  constructor(readonly hash: (compilation: Compilation) => Promise<string>) {}

  apply(compiler: Compiler): void {
    compiler.hooks.thisCompilation.tap(InputsHash.name, (compilation) => {
      // After webpack has written the source maps. They stay correct, because the hash is as long as what it replaces.
      const stage = webpack.Compilation.PROCESS_ASSETS_STAGE_DEV_TOOLING + 1;
      const options = { name: InputsHash.name, stage };
      compilation.hooks.processAssets.tapPromise(options, async (assets) => {
        // Webpack lists the dependencies after the assets.
        compilation.summarizeDependencies();
        const inputs = await this.hash(compilation);
        for (const [name, source] of Object.entries(assets)) {
          const text = source.source();
          if (typeof text !== "string" || !text.includes(UNKNOWN_INPUTS)) continue;
          compilation.updateAsset(name, new webpack.sources.RawSource(withInputs(text, inputs)));
        }
      });
    });
  }
}
