import { postAdmin } from "./api.js";
import { remoteCommand } from "./command.js";
import { list } from "./table.js";

interface Collected {
  readonly deployments: readonly number[];
  /** As `name@version`. */
  readonly releases: readonly string[];
  readonly dryRun: boolean;
}

/** `section collect` */
export const collectCommand = remoteCommand({
  name: "collect",
  summary: "remove deployments and releases that are no longer kept",
  description: `Removes from the store what the gateway's configuration no longer keeps. What is live,
the candidate, and what was so lately stay. It needs a token for all sections.`,
  options: { "dry-run": { summary: "only say what would be removed" } },
  async run({ access, values }) {
    const { body } = await postAdmin<Collected>(access, "/api/v1/collect", { dryRun: values["dry-run"] });
    return { text: describe(body), data: body };
  },
});

function describe({ deployments, releases, dryRun }: Collected): string {
  if (deployments.length + releases.length === 0) return "there is nothing to remove";
  const lines = [
    ...(deployments.length > 0
      ? [`${deployments.length === 1 ? "deployment" : "deployments"} ${list(deployments.map(String))}`]
      : []),
    ...releases.map((release) => `release ${release}`),
  ];
  return [dryRun ? "would be removed:" : "removed:", ...lines].join("\n");
}
