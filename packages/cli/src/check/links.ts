import { comparePatterns, isPagePath, matchPath } from "@colonnade/kit/contract";
import type { PageContents } from "./dom.js";
import { problemOf, type Problem } from "./problem.js";
import type { LinkTarget, RenderedView } from "./report.js";

/** The links of a section, sorted without running its pages again. */
interface SortedLinks {
  /** Links to pages of the section at paths that have not been checked. */
  readonly targets: readonly LinkTarget[];
  /** Links below the section's paths that match none of its pages. Another section may have the page. */
  readonly problems: readonly Problem[];
}

/** Sorts the links of a section's pages and extensions. `checked` are the paths whose data has been checked. */
export function sortLinks(
  links: PageContents["links"],
  patterns: readonly string[],
  checked: ReadonlySet<string>,
): SortedLinks {
  const sorted = [...patterns].sort(comparePatterns);
  const firstSegments = new Set(patterns.map(firstSegment).filter((segment) => !/^(:.*)?$/.test(segment)));
  const targets: LinkTarget[] = [];
  const problems: Problem[] = [];
  for (const [link, from] of links) {
    // Of `/shop/list/`, the gateway and the shell show the page `/shop/list`.
    const path = link.replace(/(.)\/$/, "$1");
    if (checked.has(path) || !isPagePath(path)) continue;
    const pattern = sorted.find((candidate) => matchPath(candidate, path));
    if (pattern !== undefined) targets.push({ path, pattern });
    else if (firstSegments.has(firstSegment(path)))
      problems.push(
        problemOf("COL118", `${from.view} links to ${path}, which no page of the section matches`, from.location),
      );
  }
  return { targets, problems };
}

/** The problem of a link to a page of the section that is not found. */
export function brokenLink({ path, pattern }: LinkTarget, from: RenderedView): Problem {
  return problemOf(
    "COL117",
    `${from.view} links to ${path}, but data() of the page ${pattern} is notFound()`,
    from.location,
  );
}

function firstSegment(path: string): string {
  return path.split("/")[1] ?? "";
}
