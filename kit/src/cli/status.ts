import { callAdmin } from "./api.js";
import { remoteCommand } from "./command.js";
import { describeCandidate, readDeployments, type Deployments } from "./deployments.js";
import { columns, instant, NONE } from "./table.js";

interface ListedRelease {
  readonly version: string;
  readonly publishedAt: string;
  /** Name of the token it was published with. */
  readonly by: string;
}

interface ListedSection {
  readonly name: string;
  readonly kind: "section" | "shell";
  readonly live: string | null;
  readonly candidate: string | null;
  readonly releases: readonly ListedRelease[];
}

/** `section status` */
export const statusCommand = remoteCommand({
  name: "status",
  summary: "show what is live, what is the candidate, and what was published last",
  description: `Shows which deployment is live and which is the candidate, for how many visitors; and
of each section the release that is live, that of the candidate, the one published
last, and when that was.`,
  options: {},
  async run({ access }) {
    const [{ live, rollout }, { body: sections }] = await Promise.all([
      readDeployments(access),
      callAdmin<ListedSection[]>(access, "GET", "/api/v1/sections"),
    ]);
    return {
      text: [describe({ live, rollout }), ...(sections.length > 0 ? ["", tableOf(sections)] : [])].join("\n"),
      data: { live, rollout, sections },
    };
  },
});

function describe({ live, rollout }: Deployments): string {
  const first = live === null ? "no deployment is live" : `deployment ${String(live)} is live`;
  return rollout ? `${first}; ${describeCandidate(rollout.deployment, rollout.percent)}` : first;
}

function tableOf(sections: readonly ListedSection[]): string {
  const rows = sections.map(({ name, live, candidate, releases }) => {
    const newest = newestOf(releases);
    return [
      name,
      live ?? NONE,
      candidate ?? NONE,
      newest?.version ?? NONE,
      newest ? instant(newest.publishedAt) : NONE,
    ];
  });
  return columns([["section", "live", "candidate", "newest release", "published"], ...rows]);
}

function newestOf(releases: readonly ListedRelease[]): ListedRelease | undefined {
  const at = ({ publishedAt }: ListedRelease): number => Date.parse(publishedAt);
  return releases.reduce<ListedRelease | undefined>(
    (newest, release) => (newest && at(newest) > at(release) ? newest : release),
    undefined,
  );
}
