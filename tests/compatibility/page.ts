// The page docs/compatibility.md.
import { readFile } from "node:fs/promises";
import path from "node:path";

import type { ContentPolicy } from "@colonnade/cli";
import { format, resolveConfig } from "prettier";

import type { Found } from "./table";

/** The page's file. */
export const PAGE = path.join(import.meta.dirname, "../../docs/compatibility.md");

const INTRODUCTION = `# Compatibility

Each row is a page of usual code, in \`tests/compatibility/pages\`. The gateway renders the page, Chromium hydrates it, and a test operates
it: first under the strict [policy](contract.md#content-policy), then with more and more permissions. \`make soak\` runs the test and writes
this page. The pages are small, so a feature of a package that they do not use can need more.

- **HTML**: whether the HTML of the gateway contains the component. Otherwise it loads [after
  hydration](write-a-section.md#npm-packages), because the package uses what the gateway's engine does not have.
- **Policy**: the least with which the component works and the browser's console has no error.
- **Strict**: whether the component works under the strict policy. "reports" means that it does, and that the browser reports what the
  policy blocks, such as the style element of a scroll lock.
`;

const HEAD = ["", "Packages", "HTML", "Policy", "Strict", "Notes"];

const describe = (policy: ContentPolicy | undefined): string =>
  Object.entries(policy ?? {})
    .map(([key, value]) => `\`${key}: ${JSON.stringify(value)}\``)
    .join(", ") || "–";

const describeStrict = ({ policy, worksWithReports }: Found): string => {
  if (Object.keys(policy ?? {}).length === 0) return "works";
  return worksWithReports ? "reports" : "fails";
};

/** Returns the text of the page. */
export async function pageOf(found: readonly Found[]): Promise<string> {
  const { dependencies } = JSON.parse(await readFile(path.join(import.meta.dirname, "package.json"), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const rows = found.map((each) => [
    each.entry.name,
    each.entry.packages.map((name) => `\`${name}@${dependencies[name] ?? ""}\``).join(", "),
    each.entry.html === undefined ? "no" : "yes",
    describe(each.policy),
    describeStrict(each),
    each.entry.note ?? "",
  ]);
  const table = [HEAD, HEAD.map(() => "---"), ...rows];
  const text = `${INTRODUCTION}\n${table.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
  return format(text, { ...(await resolveConfig(PAGE)), parser: "markdown" });
}
