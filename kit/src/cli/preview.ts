import { UsageError } from "../build/config.js";
import { postAdmin } from "./api.js";
import { remoteCommand } from "./command.js";
import { deploymentNumber, wholeNumber } from "./options.js";
import { RELEASES, REMOVE, wantedReleases } from "./releases.js";
import { instant } from "./table.js";

interface Preview {
  readonly deployment: number;
  readonly url: string;
  readonly expiresAt: string;
}

const WEEK_MINUTES = 7 * 24 * 60;

/** `section preview` */
export const previewCommand = remoteCommand({
  name: "preview",
  operands: RELEASES,
  summary: "make a link that shows releases, or a deployment, before visitors see them",
  description: `Makes a link to the site as it would be with these published releases; without a name,
with the release in release/. Or with --deployment, to the site as that deployment has
it. Whoever has the link sees it, marked as a preview, until it expires.`,
  options: {
    deployment: { value: "<number>", summary: "show this deployment", read: deploymentNumber },
    remove: REMOVE,
    path: { value: "<path>", summary: "where the link leads (/)", read: readPath },
    minutes: {
      value: "<number>",
      summary: "how long the link is good for, at most a week (60)",
      read: wholeNumber("a number of minutes", 1, WEEK_MINUTES),
    },
  },
  async run({ surroundings: { folder }, access, values, operands }) {
    const { deployment, remove, path, minutes } = values;
    if (deployment !== undefined && operands.length + remove.length > 0)
      throw new UsageError("expected either releases or --deployment");
    const shown =
      deployment === undefined ? { releases: await wantedReleases(folder, operands, remove) } : { deployment };
    const { body } = await postAdmin<Preview>(access, "/api/v1/previews", { ...shown, path, minutes });
    return {
      text: `${body.url}\nshows deployment ${String(body.deployment)} until ${instant(body.expiresAt)}, to whoever has this link`,
      data: body,
    };
  },
});

function readPath(typed: string, option: string): string {
  if (typed.startsWith("/") && !typed.startsWith("//")) return typed;
  throw new UsageError(`${option} is ${JSON.stringify(typed)}; expected a path of the site, such as /hello`);
}
