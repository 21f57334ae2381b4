import path from "node:path";

import { CheckError, errorsIn, warningsIn } from "../check/problem.js";
import { checkShell } from "../check/shell.js";
import { CONTRACT } from "@colonnade/kit/contract";
import { filesOf, sharedAssets, singleFile } from "./assets.js";
import type { Built, OnStep } from "./built.js";
import { compilePackage, type Identify } from "./compilePackage.js";
import { UsageError } from "./config.js";
import type { BuildContext } from "./context.js";
import { buildDevelopmentShell } from "./developmentShell.js";
import { writeExtensionList } from "./extensionList.js";
import { copyImages } from "./images.js";
import { listFiles, type Release } from "./release.js";
import { shellServerEntry, writeSharedModules } from "./server.js";
import { parserVersion, type SharedModule } from "./shared.js";
import { compileSharedModules, readSharedModules } from "./sharedModules.js";
import { SHELL_LIBRARIES, shellServerConfiguration } from "./webpack.js";

/**
 * Builds the shell into the output folder.
 *
 * @throws UsageError if the shell is invalid or does not compile.
 */
export async function buildShell(given: BuildContext, identify: Identify, onStep: OnStep): Promise<Built> {
  const { folder, output, config, installed } = given;
  const shared = await readSharedModules(given);
  const provisional = { ...given, sharedModules: shared };
  const server = shellServerConfiguration(provisional, shellServerEntry(path.resolve(folder, config.entry)));
  const { context, client, outside } = await compilePackage(provisional, server, identify);
  const sharedModules = await compileSharedModules(context);
  onStep("check");
  const { problems, points } = await checkShell(context);
  if (errorsIn(problems).length > 0) throw new CheckError(config.name, problems, folder);
  if (!context.mode.development) {
    onStep("development variant");
    await buildDevelopmentShell(context);
  }
  const main = filesOf(client, (group) => group.name === "main");
  const images = await copyImages(folder, output, config);
  await writeExtensionList(output, { extensionPoints: points, extensions: [] });
  const files = await listFiles(output);
  const icon = config.icon && path.parse(config.icon).name;
  const iconFile = files.find((file) => icon && path.basename(file.path).startsWith(`${icon}.`));
  if (icon && !iconFile)
    throw new UsageError(`the icon ${config.icon ?? ""} is not part of the build; import it in the entry module`);
  const release: Release = {
    name: config.name,
    version: context.identity.version,
    kind: "shell",
    contract: CONTRACT,
    entry: singleFile(main.filter((file) => file.endsWith(".js"))),
    styles: main.filter((file) => file.endsWith(".css")),
    assets: SHELL_LIBRARIES.flatMap((name) => filesOf(client, (group) => group.name === name)),
    pages: [],
    ...(points.length > 0 && { extensionPoints: points }),
    shared: { ...installed, ...parserVersion(installed) },
    ...(shared.length > 0 && { sharedAssets: sharedAssets(client, shared) }),
    ...omittedExports(shared),
    ...(config.facts && { facts: config.facts }),
    ...(config.policy && { policy: config.policy }),
    ...(config.meta && { meta: Object.entries(config.meta).map(([name, content]) => ({ name, content })) }),
    ...(iconFile && { icon: iconFile.path }),
    ...images,
    modules: { ...(await writeSharedModules(folder, output)), ...sharedModules },
    files: [],
  };
  return {
    release: { ...release, files: await listFiles(output) },
    identity: context.identity,
    outside,
    warnings: warningsIn(problems),
  };
}

function omittedExports(shared: readonly SharedModule[]): Pick<Release, "omittedExports"> {
  const omitting = shared.filter(({ omitted }) => omitted.length > 0);
  if (omitting.length === 0) return {};
  return { omittedExports: Object.fromEntries(omitting.map(({ name, omitted }) => [name, omitted])) };
}
