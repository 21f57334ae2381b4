import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { UsageError } from "../build/usageError.js";
import { adminAccess, type AdminAccess } from "./api.js";
import { openInBrowser } from "./browser.js";
import type { CommandContext } from "./context.js";
import { readDeployments } from "./deployments.js";
import { parsePagePath } from "./options.js";
import { builtRelease, firstPath, pageUrl } from "./page.js";
import { createPreview } from "./preview.js";
import { parseReleases } from "./releases.js";

/** Adds `colonnade open`. */
export function addOpenCommand(program: CommandUnknownOpts, context: CommandContext): void {
  const { folder, environment, printResult } = context;
  program
    .command("open")
    .summary("open the live page of this section in the browser")
    .description(
      "Opens the first page of the release in release/ on the live site, or the site's home page if there is no " +
        "release, in the default browser. Prints the URL instead if there is no terminal or desktop.",
    )
    .addOption(new Option("--path <path>", "open this path of the site").argParser(parsePagePath))
    .option("--preview", "create a preview link to the release in release/, and open that")
    .option("--print", "print the URL, without opening it")
    .action(async ({ path, preview = false, print = false }) => {
      const access = await adminAccess(environment);
      const release = await builtRelease(folder);
      const target = path ?? (release ? firstPath(release) : "/");
      const url = preview
        ? (await createPreview({ releases: await parseReleases(folder, [], []), path: target }, access)).url
        : pageUrl(await readOrigin(access), target);
      const opened = !print && (await openInBrowser(url, context));
      printResult({ text: opened ? `opened ${url}` : url, data: { url, opened } });
    });
}

async function readOrigin(access: AdminAccess): Promise<string> {
  const { url } = await readDeployments(access);
  if (url !== undefined) return url;
  throw new UsageError(
    "the gateway does not report the site's URL; expected a gateway of this command's version, update it",
  );
}
