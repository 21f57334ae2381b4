// Finding pages, sections, releases and deployments by what a reader types: their names, the paths of their pages, and who made
// them and why.
import { comparePatterns, matchPath } from "@colonnade/kit/contract";

import type { Deployment, Section, SectionRelease } from "../openapi.js";
import { deploymentHref, hrefOf, sectionHref } from "../router.js";

/** Something that the search finds. */
export interface Found {
  readonly kind: "Page" | "Section" | "Release" | "Deployment";
  readonly label: string;
  /** More about it. */
  readonly detail: string;
  readonly href: string;
}

/** What can be found. */
export interface Searched {
  readonly pages: readonly { readonly page: string; readonly label: string }[];
  readonly sections: readonly Section[];
  /** The newest deployments. */
  readonly deployments: readonly Deployment[];
  /** The live deployment. */
  readonly live: number | null;
  /** The newest deployment; 0 without one. */
  readonly newest: number;
}

/** The most results. */
const MOST = 12;

/** How well a text fits, from 0; null if it does not. */
function rankOf(text: string, query: string): number | null {
  const place = text.toLowerCase().indexOf(query);
  if (place < 0) return null;
  if (text.length === query.length) return 0;
  return place === 0 ? 1 : 2;
}

/** The path in an address of the site, with or without its origin, without a final slash; null if a text is none. */
function pathOf(text: string): string | null {
  return /^(https?:\/)?\//.test(text) && URL.canParse(text, "http://site")
    ? new URL(text, "http://site").pathname.replace(/\/$/, "")
    : null;
}

/** What fits a query, the best first. */
export function search({ pages, sections, deployments, live, newest }: Searched, text: string): readonly Found[] {
  const query = text.trim().toLowerCase();
  const found: (readonly [rank: number, found: Found])[] = [];
  const add = (texts: readonly string[], found_: Found): void => {
    const ranks = texts.map((each) => rankOf(each, query)).filter((rank) => rank !== null);
    if (ranks.length > 0) found.push([Math.min(...ranks), found_]);
  };
  for (const { page, label } of pages) add([label], { kind: "Page", label, detail: "", href: hrefOf(page) });
  for (const section of sections) {
    const { name, live: version } = section;
    const detail = version ?? "not live";
    add([name], { kind: "Section", label: name, detail, href: sectionHref(name) });
  }
  const path = pathOf(text.trim());
  if (path !== null) addSectionsAt(path);
  if (query !== "") {
    for (const section of sections) for (const each of section.releases.toReversed()) addRelease(section, each);
    addDeployment();
    for (const deployment of deployments.toReversed()) addReasonOf(deployment);
  }
  return found
    .sort(([a], [b]) => a - b)
    .slice(0, MOST)
    .map(([, each]) => each);

  /** The section that serves a path, then those with pages below it. */
  function addSectionsAt(path: string): void {
    const patterns = sections.flatMap((section) => section.patterns).sort(comparePatterns);
    const serving = patterns.find((pattern) => matchPath(pattern, path === "" ? "/" : path));
    for (const { name, patterns } of sections) {
      const isServing = serving !== undefined && patterns.includes(serving);
      const pattern = isServing ? serving : patterns.find((each) => each.startsWith(`${path}/`));
      if (pattern === undefined) continue;
      found.push([isServing ? 0 : 1, { kind: "Section", label: name, detail: pattern, href: sectionHref(name) }]);
    }
  }

  function addRelease(
    { name, live: version, candidate }: Section,
    { version: release, by, source }: SectionRelease,
  ): void {
    const label = `${name}@${release}`;
    const state = release === version ? "live" : release === candidate ? "candidate" : "";
    const detail = [state, source?.author ?? by].filter((part) => part !== "").join(", ");
    const href = `${sectionHref(name)}?release=${encodeURIComponent(release)}`;
    add([label, release, source?.commit ?? "", source?.author ?? "", by], { kind: "Release", label, detail, href });
  }

  function addReasonOf({ number, reason }: Deployment): void {
    const href = deploymentHref(number);
    if (reason === null || found.some(([, each]) => each.href === href)) return;
    add([reason], { kind: "Deployment", label: `Deployment ${String(number)}`, detail: reason, href });
  }

  function addDeployment(): void {
    const number = Number(query.replace(/^(deployment )?#?/, ""));
    if (!Number.isInteger(number) || number < 1 || number > newest) return;
    const detail = number === live ? "live" : "";
    found.push([
      0,
      { kind: "Deployment", label: `Deployment ${String(number)}`, detail, href: deploymentHref(number) },
    ]);
  }
}
