import type { Head, Site } from "@colonnade/kit";
import { isSitePath } from "@colonnade/kit/contract";
import { canonicalSearch } from "./search.js";
import type { Violation } from "./violation.js";

// The numbers of characters that search engines show.
const TITLE_LENGTH = 60;
const DESCRIPTION_LENGTH = 160;

// As the gateway accepts them (gateway/crates/model/src/language.rs): language, script, region and variants.
const LANGUAGE = /^[a-z]{2,3}(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*$/i;

/** Finds the problems of the head of the page at a path. */
export function* headProblems(
  head: Head,
  path: string,
  { origin }: Site,
  searchNames: readonly string[] = [],
): Generator<Violation> {
  for (const name of ["title", "description", "canonical"] as const) {
    const value: unknown = head[name];
    if (typeof value !== "string" || value.trim() === "")
      yield { code: "COL115", problem: `the head of ${path} has no ${name}; expected a text` };
  }
  const { title, description, canonical, social, alternates = [], breadcrumbs = [] } = head;
  const named = [
    ["canonical path", canonical],
    ...alternates.map((alternate) => ["alternate path", alternate.path] as const),
    ["social URL", social?.url],
    ...breadcrumbs.map((step) => ["breadcrumb path", step.path] as const),
  ] as const;
  for (const [what, url] of named) {
    if (url && !isSitePath(what === "breadcrumb path" ? url : withoutSearch(url, searchNames)))
      yield {
        code: "COL115",
        problem: `the ${what} of ${path} is ${JSON.stringify(url)}; expected a path of this site, percent-encoded`,
      };
  }
  yield* languageProblems(head, path);
  if (!isIndexable(head)) return;
  if (title.length > TITLE_LENGTH)
    yield { code: "COL116", problem: `the title of ${path} has ${String(title.length)} characters` };
  if (description.length > DESCRIPTION_LENGTH)
    yield { code: "COL116", problem: `the description of ${path} has ${String(description.length)} characters` };
  if (
    isSitePath(withoutSearch(canonical, searchNames)) &&
    new URL(canonical, origin).pathname !== new URL(path, origin).pathname
  )
    yield { code: "COL116", problem: `the canonical path of ${path} is ${canonical}` };
}

/** A URL path without its query, if that has only declared parameters in the canonical form. */
function withoutSearch(url: string, names: readonly string[]): string {
  const [path = "", query = ""] = url.split("?");
  return canonicalSearch(names, query) === query ? path : url;
}

/** Finds the languages that are no tags. */
function* languageProblems({ language = "en", alternates = [] }: Head, path: string): Generator<Violation> {
  const languages = alternates.map((alternate) => alternate.language).filter((tag) => tag !== "x-default");
  for (const tag of [language, ...languages]) {
    if (!LANGUAGE.test(tag))
      yield {
        code: "COL115",
        problem: `a language of ${path} is ${JSON.stringify(tag)}; expected a language tag (BCP 47), such as "de" or "pt-BR"`,
      };
  }
}

/** Whether search engines may index a page. */
export function isIndexable({ robots = "" }: Head): boolean {
  return !robots.includes("noindex");
}
