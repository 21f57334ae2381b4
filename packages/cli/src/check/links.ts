import { comparePatterns, isPagePath, matchPath } from "@colonnade/kit/contract";
import type { PageContents } from "./dom.js";
import { problemOf, type Problem } from "./problem.js";
import type { LinkTarget, RenderedView } from "./report.js";
import { canonicalSearch } from "./sandbox/search.js";

/** The links of a section, sorted without running its pages again. */
interface SortedLinks {
  /** Links to pages of the section at paths that have not been checked. Their queries are canonical. */
  readonly targets: readonly LinkTarget[];
  /** What has the first link to the path of each target. */
  readonly sources: ReadonlyMap<string, RenderedView>;
  /** Links below the section's paths that match none of its pages. Another section may have the page. */
  readonly problems: readonly Problem[];
}

/**
 * Sorts the links of a section's pages and extensions. `searchNames` are the query parameters of each page, by pattern. `checked` are
 * the paths whose data has been checked.
 */
export function sortLinks(
  links: PageContents["links"],
  searchNames: ReadonlyMap<string, readonly string[]>,
  checked: ReadonlySet<string>,
): SortedLinks {
  const sorted = [...searchNames.keys()].sort(comparePatterns);
  const firstSegments = new Set(sorted.map(firstSegment).filter((segment) => !/^(:.*)?$/.test(segment)));
  const targets: LinkTarget[] = [];
  const sources = new Map<string, RenderedView>();
  const problems: Problem[] = [];
  for (const [link, from] of links) {
    const [, pathname = "", query = ""] = /^([^?]*)\??(.*)$/.exec(link) ?? [];
    // Of `/shop/list/`, the gateway and the shell show the page `/shop/list`.
    const path = pathname.replace(/(.)\/$/, "$1");
    if (!isPagePath(path)) continue;
    const pattern = sorted.find((candidate) => matchPath(candidate, path));
    if (pattern === undefined) {
      if (firstSegments.has(firstSegment(path))) problems.push(unknownTarget(path, from));
      continue;
    }
    const search = canonicalSearch(searchNames.get(pattern) ?? [], query);
    const target = search === "" ? path : `${path}?${search}`;
    if (checked.has(target) || sources.has(target)) continue;
    sources.set(target, from);
    targets.push({ path: target, pattern });
  }
  return { targets, sources, problems };
}

function unknownTarget(path: string, from: RenderedView): Problem {
  return problemOf("COL118", `${from.view} links to ${path}, which no page of the section matches`, from.location);
}

/** The problem of a link to a page of the section that is not found. */
export function brokenLink(
  { path, pattern, isRejected }: LinkTarget & { readonly isRejected: boolean },
  from: RenderedView,
): Problem {
  const reason = isRejected
    ? `the search of the page ${pattern} rejects its query`
    : `data() of the page ${pattern} is notFound()`;
  return problemOf("COL117", `${from.view} links to ${path}, but ${reason}`, from.location);
}

function firstSegment(path: string): string {
  return path.split("/")[1] ?? "";
}
