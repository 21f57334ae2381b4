import { Option, type CommandUnknownOpts } from "@commander-js/extra-typings";

import { UsageError } from "../build/config.js";
import { adminAccess, postAdmin, type AdminAccess } from "./api.js";
import type { CommandContext } from "./context.js";
import { parseDeploymentNumber, parsePagePath, wholeNumber } from "./options.js";
import { parseReleases, removeOption, type ReleaseChanges } from "./releases.js";
import { formatTime } from "./table.js";

/** A preview link. */
interface Preview {
  readonly deployment: number;
  readonly url: string;
  readonly expiresAt: string;
}

/** What a preview link shows. */
interface PreviewRequest {
  readonly deployment?: number;
  readonly releases?: ReleaseChanges;
  readonly path?: string | undefined;
  readonly minutes?: number | undefined;
}

const WEEK_MINUTES = 7 * 24 * 60;

/** Creates a preview link. */
export async function createPreview(request: PreviewRequest, access: AdminAccess): Promise<Preview> {
  const { body } = await postAdmin<Preview>(access, "/api/v1/previews", request);
  return body;
}

/** Adds `colonnade preview`. */
export function addPreviewCommand(
  program: CommandUnknownOpts,
  { folder, environment, printResult }: CommandContext,
): void {
  program
    .command("preview [name@version...]")
    .summary("create a link that previews releases or a deployment")
    .description(
      "Creates a link to the site with these published releases, or with the release in release/ if none are given. " +
        "With --deployment, the link shows that deployment. Anyone with the link sees the preview, marked as such, " +
        "until it expires. The link asks first, because the preview's code runs on the site's origin.",
    )
    .addOption(
      new Option("--deployment <number>", "preview this deployment")
        .argParser(parseDeploymentNumber)
        .conflicts("remove"),
    )
    .addOption(removeOption())
    .option("--path <path>", "path the link opens (default: /)", parsePagePath)
    .option(
      "--minutes <number>",
      "minutes until the link expires, at most a week (default: 60)",
      wholeNumber("a number of minutes", 1, WEEK_MINUTES),
    )
    .action(async (names, { deployment, remove, path, minutes }) => {
      const access = await adminAccess(environment);
      if (deployment !== undefined && names.length > 0)
        throw new UsageError("expected either releases or --deployment, not both");
      const target =
        deployment === undefined ? { releases: await parseReleases(folder, names, remove) } : { deployment };
      const preview = await createPreview({ ...target, path, minutes }, access);
      const text = [
        preview.url,
        `shows deployment ${String(preview.deployment)} to anyone with this link until ${formatTime(preview.expiresAt)}`,
        "asks before it runs the deployment's code on the site's origin",
      ].join("\n");
      printResult({ text, data: preview });
    });
}
