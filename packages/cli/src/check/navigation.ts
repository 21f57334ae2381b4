import type { NavigationEntry } from "@colonnade/kit";
import { isStaticPattern } from "@colonnade/kit/contract";
import { MAX_LABEL, MAX_NAVIGATION } from "./limits.js";
import { problemOf, type Problem } from "./problem.js";
import type { CheckedPage } from "./report.js";

const LISTS: readonly unknown[] = ["shell/menu", "shell/footer"] satisfies readonly NavigationEntry["to"][];
const MEMBERS: readonly string[] = ["to", "label", "path", "order"] satisfies readonly (keyof NavigationEntry)[];

const LABEL = new RegExp(`^\\P{Cc}{1,${String(MAX_LABEL)}}$`, "u");

/** A link as it is written: nothing has checked its values. */
type WrittenLink = { readonly [Member in keyof NavigationEntry]?: unknown };

/**
 * Finds what is wrong in the links that a section contributes to the navigation. The gateway rejects the same. `pages` are all pages
 * of the section, by pattern; undefined if some could not be checked.
 */
export function findInNavigation(
  links: readonly WrittenLink[],
  pages: ReadonlyMap<string, CheckedPage> | undefined,
  locationOf: (part: string) => string | undefined,
): Problem[] {
  const paths = pages && new Set([...pages].flatMap(([pattern, page]) => pathsOf(pattern, page)));
  const earlier = new Set<string>();
  const problems = links.flatMap((link, index) => {
    const fault = faultOf(link, paths, earlier);
    earlier.add(keyOf(link));
    if (fault === undefined) return [];
    const message = `navigation[${String(index)}]: ${fault}`;
    return problemOf("COL100", message, locationOf(`navigation ${String(index)}`), "Correct the link.");
  });
  if (links.length <= MAX_NAVIGATION) return problems;
  const message = `the section has ${String(links.length)} links in navigation; expected at most ${String(MAX_NAVIGATION)}`;
  return [...problems, problemOf("COL100", message, locationOf("navigation"), "Remove some of them.")];
}

function pathsOf(pattern: string, { paths }: CheckedPage): string[] {
  const listed = paths.map(({ path }) => path);
  return isStaticPattern(pattern) ? [pattern, ...listed] : listed;
}

function keyOf({ to, path }: WrittenLink): string {
  return `${String(to)} has two links to ${String(path)}`;
}

function faultOf(
  link: WrittenLink,
  paths: ReadonlySet<string> | undefined,
  earlier: ReadonlySet<string>,
): string | undefined {
  const { to, label, path, order = 0 } = link;
  const unknown = Object.keys(link).find((member) => !MEMBERS.includes(member));
  if (unknown !== undefined) return `unknown member ${unknown}; expected to, label, path and order`;
  if (!LISTS.includes(to)) return `to is ${JSON.stringify(to)}; expected "shell/menu" or "shell/footer"`;
  if (typeof label !== "string" || !LABEL.test(label) || label.trim() === "")
    return `label is ${JSON.stringify(label)}; expected 1 to ${String(MAX_LABEL)} characters without control characters`;
  if (!Number.isSafeInteger(order)) return `order is ${JSON.stringify(order)}; expected an integer`;
  if (typeof path !== "string" || !/^\/[!-~]*$/.test(path))
    return `path is ${JSON.stringify(path)}; expected a percent-encoded path, beginning with one slash`;
  if (paths && !paths.has(path.replace(/#.*/, "")))
    return `no page has the path ${path}; expected the pattern of a page without params, or a path that paths() of a page returns`;
  return earlier.has(keyOf(link)) ? keyOf(link) : undefined;
}
