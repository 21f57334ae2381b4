import { writeFile } from "node:fs/promises";
import path from "node:path";

import { compileShellScript } from "../check/bundle.js";
import { CONTRACT } from "@colonnade/kit/contract";
import { pack } from "./archive.js";
import { filesOf } from "./assets.js";
import { compile } from "./compile.js";
import type { BuildContext } from "./context.js";
import type { SharedVersions } from "./shared.js";
import { inTemporaryFolder } from "./temporaryFolder.js";
import { clientConfiguration, SHELL_LIBRARIES } from "./webpack.js";

/** The file of a shell's release that contains its development variant, which only `colonnade dev` fetches. */
export const DEVELOPMENT_SHELL = "development.tgz";
/** The file within {@link DEVELOPMENT_SHELL} that describes it. */
export const DEVELOPMENT_MANIFEST = "manifest.json";
/** Version of the format {@link DevelopmentShell}. */
export const DEVELOPMENT_FORMAT = 1;

/** Contents of {@link DEVELOPMENT_MANIFEST}. File names are relative to the root of the archive. */
export interface DevelopmentShell {
  readonly format: number;
  readonly contract: number;
  /** Version of the shell. */
  readonly version: string;
  /** The shared packages' versions. */
  readonly shared: SharedVersions;
  /** The scripts of a document, in order. */
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
  /** The script that renders pages on the server. */
  readonly server: string;
}

/** Adds the shell's development variant to its release. */
export function buildDevelopmentShell(context: BuildContext): Promise<void> {
  return packDevelopmentShell(context, path.join(context.output, "client", DEVELOPMENT_SHELL));
}

/**
 * Builds the shell's development variant: the client with React's development build and React Refresh, and a renderer for
 * Node.js. The variant is one archive, because the gateway compresses and lists every file of a release.
 */
export async function packDevelopmentShell(context: BuildContext, file: string): Promise<void> {
  await inTemporaryFolder(async (folder) => {
    await writeVariant(folder, context);
    await pack(file, folder, ["."]);
  });
}

async function writeVariant(folder: string, context: BuildContext): Promise<void> {
  const mode = { final: false, development: true };
  const client = await compile(clientConfiguration({ ...context, output: folder, mode }), context);
  const files = [...SHELL_LIBRARIES, "main"].flatMap((name) => filesOf(client, (group) => group.name === name));
  const manifest: DevelopmentShell = {
    format: DEVELOPMENT_FORMAT,
    contract: CONTRACT,
    version: context.identity.version,
    shared: context.installed,
    scripts: files.filter((file) => file.endsWith(".js")),
    styles: files.filter((file) => file.endsWith(".css")),
    server: "server.js",
  };
  await writeFile(path.join(folder, manifest.server), await compileShellScript(context, folder));
  await writeFile(path.join(folder, DEVELOPMENT_MANIFEST), JSON.stringify(manifest));
}
