import type { BuildContext } from "../build/context.js";
import type { ContentPolicy } from "../build/policy.js";
import { permits, siteLine } from "./permission.js";
import { problemOf, type Problem } from "./problem.js";

/** Warns of what the configuration of a package needs, and the policy of the site does not permit: a deploy would be rejected. */
export function findDenied({ config, buildTarget }: Pick<BuildContext, "config" | "buildTarget">): Problem[] {
  if (!buildTarget) return [];
  const { source, policy } = buildTarget;
  const table = config.kind === "shell" ? "policy" : `policy.sections.${config.name}`;
  const needs = Object.entries(config.policy ?? {}) as [keyof ContentPolicy, ContentPolicy[keyof ContentPolicy]][];
  return needs.flatMap(([key, need]) => {
    const values = typeof need === "object" ? [...new Set(need)] : [];
    const denied = values.filter((value) => !permits(policy, { key, value }));
    const isFlag = need === true || need === "report";
    if (denied.length === 0 && !(isFlag && !isUnlimited(policy[key]))) return [];
    const permitted = policy[key];
    const all = isFlag ? need : [...new Set([...(typeof permitted === "object" ? permitted : []), ...values])];
    const what = isFlag ? String(need) : denied.join(", ");
    const message = `policy.${key} needs ${what}, which ${source} does not permit: a deploy is rejected`;
    return problemOf(
      "COL126",
      message,
      "section.config.js",
      `Ask its operator for \`${siteLine(key, all)}\` in \`[${table}]\` of site.toml.`,
    );
  });
}

const isUnlimited = (value: ContentPolicy[keyof ContentPolicy]): boolean => value === true || value === "report";
