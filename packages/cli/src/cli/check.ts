import { writeFile } from "node:fs/promises";
import path from "node:path";

import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { loadConfig } from "../build/config.js";
import { UsageError } from "../build/usageError.js";
import { guideHint } from "../check/guide.js";
import { CheckError, errorsIn, warningsIn } from "../check/problem.js";
import { toSarif } from "../check/sarif.js";
import type { TriedRelease } from "../check/liveExtensions.js";
import { locateAt, optionalAccess, postAdmin, type AdminAccess } from "./api.js";
import type { CommandContext } from "./context.js";
import { locateErrors } from "./locate.js";
import { apiOption, parseOrigin } from "./options.js";
import { packageVersion } from "./scaffold.js";
import { readBuildTarget } from "./buildTarget.js";

/** Adds `colonnade check`. */
export function addCheckCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { folder, environment, stdout, stderr, printResult } = context;
  program
    .command("check")
    .summary("check that the gateway can render the section's pages, or the shell")
    .description(
      "Renders the pages of the section in this folder, or the parts of the shell, by the rules of the gateway's sandbox, and " +
        "lists every violation with its file and line. `colonnade build` does this too. With COLONNADE_ADMIN and COLONNADE_TOKEN, " +
        "the gateway also renders the live extensions of other sections with the examples of the points that the section opens.",
    )
    .option("--sarif [file]", "write the problems as SARIF 2.1.0 to a file, or print them")
    .addOption(
      new Option(
        "--site <url>",
        "URL of a site: also render with the results of its upstreams and the examples of its live extension points, and warn of " +
          "extensions that no page would show",
      ).argParser(parseOrigin),
    )
    .addOption(apiOption("also render with the results of this URL for queries below /api/<name>/; repeatable"))
    .action(async ({ sarif, site, api }) => {
      const { json } = program.opts();
      if (json && sarif === true) throw new UsageError("--json and --sarif both print; pass a file to --sarif");
      // Loading webpack takes longer than most commands.
      const { checkSection } = await import("../check/index.js");
      const { readLiveExtensions } = await import("../dev/liveExtensions.js");
      const live = site === undefined ? undefined : await readLiveExtensions(site);
      const routes = { ...(site !== undefined && { site }), apis: api };
      const isQuerying = site !== undefined || api.size > 0;
      const access = await optionalAccess(environment);
      const trial = access && ((release: TriedRelease) => tryPoints(release, access));
      const against = { ...(live && { live }), ...(trial && { trial }), ...(isQuerying && { routes }) };
      const config = await loadConfig(folder);
      const budget = await readBuildTarget(folder, { config, site, environment, stderr });
      const { name, problems, sharing } = await checkSection(folder, against, budget);
      const isFailed = errorsIn(problems).length > 0;
      if (sarif !== undefined) {
        const log = `${JSON.stringify(toSarif(problems, packageVersion()), null, 2)}\n`;
        if (sarif === true) stdout.write(log);
        else await writeLog(path.resolve(folder, sarif), log);
      }
      if (sarif !== true && (json || !isFailed)) {
        const { describeSharing } = await import("../check/sharing.js");
        const saved = sharing && budget ? [describeSharing(sharing, budget.source)] : [];
        const text = [`${name} follows the rules`, ...saved].join("\n");
        const data = { name, problems, ...(sharing && { sharing }) };
        printResult({ text, data, warnings: warningsIn(problems), hint: guideHint(folder) });
      }
      if (isFailed) throw new CheckError(name, problems, folder);
    });
}

/** Renders the live extensions of other sections at the gateway, which knows their server modules. */
async function tryPoints({ name, version, points }: TriedRelease, access: AdminAccess): Promise<readonly string[]> {
  const path = `/api/v1/sections/${name}/trial`;
  const { body } = await postAdmin<{ problems: readonly string[] }>(access, path, { version, extensionPoints: points });
  return locateErrors(locateAt(access), body.problems);
}

async function writeLog(file: string, log: string): Promise<void> {
  await writeFile(file, log).catch((error: unknown) => {
    throw new UsageError(`--sarif ${file} cannot be written: ${String(error)}; expected the path of a file`);
  });
}
