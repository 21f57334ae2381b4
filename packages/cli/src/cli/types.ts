import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import type { CommandContext } from "./context.js";
import { DEFAULT_SITE, parseOrigin } from "./options.js";
import { loadConfig } from "../build/config.js";
import { TYPES_FOLDER } from "../build/declarations.js";
import { GatewayError } from "../build/usageError.js";
import { findIncompleteTypes } from "../dev/incompleteTypes.js";

/** Adds `colonnade types`. */
export function addTypesCommand(program: CommandUnknownOpts, { folder, printResult }: CommandContext): void {
  program
    .command("types [sections...]")
    .summary("fetch the types of the modules that other sections expose")
    .description(
      `Writes the types of the modules that the live sections of a site expose to ${TYPES_FOLDER}/, so that TypeScript checks ` +
        "the props of <Remote>. Add that folder to `include` in tsconfig.json. `colonnade dev` does the same when it starts. With " +
        "names of sections, fetches only theirs, and keeps the types of the others.",
    )
    .addOption(new Option("--site <url>", `URL of the site (default: ${DEFAULT_SITE})`).argParser(parseOrigin))
    .action(async (sections, { site: given }) => {
      const site = given ?? DEFAULT_SITE;
      // Loading the parser of documents takes longer than most commands.
      const { fetchRemoteTypes } = await import("../dev/remoteTypes.js");
      const modules = await fetchRemoteTypes(folder, await loadConfig(folder), site, { sections }).catch(
        (error: unknown) => {
          if (given !== undefined || !(error instanceof GatewayError)) throw error;
          throw new GatewayError(`${error.message}; name the site with --site <url>`, error.kind);
        },
      );
      const warnings = await findIncompleteTypes(folder);
      const text = modules.length === 0 ? `no live section of ${site} exposes a module with types` : modules.join("\n");
      printResult({ text, data: { site, folder: TYPES_FOLDER, modules, warnings }, warnings });
    });
}
