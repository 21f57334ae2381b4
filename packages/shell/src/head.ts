import type { Head, Site } from "@colonnade/kit";
import { isSitePath, type SocialImage } from "@colonnade/kit/shell";

import { head as documentHead } from "./documentMembers.js";
import { pathnameOf, viewPath } from "./loading/reload.js";
import { languageOf } from "./language.js";
import { titlesOf, type ShellParts } from "./parts.js";

// Marks the tags that belong to the current page. The gateway writes them in the document, the shell afterwards.
const MARK = "data-head";

/** Left out if a value is undefined. */
type Tag = readonly [name: "meta" | "link", attributes: Readonly<Record<string, string | number | undefined>>];

const CANONICAL = /^([?&][\w-]+=[\w.!~*'()%-]*)*$/;

/**
 * The URL of the current page, or of one in another language, that a section names by its path. As in the document from the gateway, it is
 * undefined if the text is not a path, or has a query that is not in its canonical form or not of the page's parameters.
 */
function pageUrl(origin: string, path: string): string | undefined {
  const { pathname } = location;
  const search = path.replace(/^[^?]*/, "");
  const isCanonical = CANONICAL.test(search) && viewPath({ pathname, search }).endsWith(search);
  return isCanonical && isSitePath(pathnameOf(path)) ? origin + path : undefined;
}

function meta(key: "name" | "property", name: string, content: string | number | undefined): Tag {
  return ["meta", { [key]: name, content }];
}

/** The tags of the image in link previews. */
function imageTags({ file, width, height, alt }: SocialImage, origin: string): Tag[] {
  return [
    meta("property", "og:image", origin + file),
    meta("property", "og:image:width", width),
    meta("property", "og:image:height", height),
    meta("property", "og:image:alt", alt),
    meta("name", "twitter:card", "summary_large_image"),
  ];
}

/** The tags of a head, in order. */
function headTags(head: Head, { origin, brand }: Site, image: SocialImage | undefined): Tag[] {
  const { social, alternates = [] } = head;
  return [
    meta("name", "description", head.description),
    meta("name", "robots", robotsOf(head)),
    meta("name", "keywords", head.keywords),
    ["link", { rel: "canonical", href: pageUrl(origin, head.canonical) }],
    ...alternates.map(({ language, path }): Tag => [
      "link",
      { rel: "alternate", hreflang: language, href: pageUrl(origin, path) },
    ]),
    meta("property", "og:title", social?.title),
    meta("property", "og:description", social?.description),
    meta("property", "og:type", social?.type),
    meta("property", "og:url", social && pageUrl(origin, social.url)),
    meta("property", "og:site_name", social && brand),
    ...(social && image ? imageTags(image, origin) : []),
  ];
}

/** The head of a page that does not exist or failed. Search engines do not index it. */
export function noindexHead(title: string): { title: string; robots: string } {
  return { title, robots: "noindex" };
}

/** The title of a document without a page. */
export function titleOf(
  parts: ShellParts,
  view: { readonly kind: "notFound" | "failed"; readonly heading?: string },
  { brand }: Site,
): string {
  const { notFound, failed } = titlesOf(parts);
  return `${view.kind === "notFound" ? (view.heading ?? notFound) : failed} - ${brand}`;
}

/** Whether the gateway marked this document as a preview. */
function isPreview(): boolean {
  return document.querySelector("body > .preview") !== null;
}

/** The value of the robots tag. Previews are never indexed. */
function robotsOf({ robots }: { readonly robots?: string }): string | undefined {
  return isPreview() ? "noindex,nofollow" : robots;
}

/**
 * Replaces the page's tags in the document's head. `image` is the link preview image of pages that have `social`.
 *
 * Only the gateway writes the breadcrumb structured data: Trusted Types forbid scripts to create script elements, even
 * JSON-LD. It stays as long as its page is current.
 */
export function applyHead(head: Head | { title: string; robots: string }, site: Site, image?: SocialImage): void {
  const { origin, language } = site;
  const isPage = "canonical" in head;
  document.title = head.title;
  setLanguage(isPage ? (head.language ?? language) : language, language);
  const canonical = isPage && pageUrl(origin, head.canonical);
  const keepsBreadcrumbs =
    canonical && documentHead.querySelector("[rel=canonical]")?.getAttribute("href") === canonical;
  // A robots tag of an unknown path is not marked.
  for (const old of documentHead.querySelectorAll(`[${MARK}],[name=robots]`)) {
    if (!(keepsBreadcrumbs && old.localName === "script")) old.remove();
  }
  const tags = isPage ? headTags(head, site, image) : [meta("name", "robots", robotsOf(head))];
  for (const [name, attributes] of tags) {
    if (Object.values(attributes).includes(undefined)) continue;
    const element = document.createElement(name);
    for (const [key, value] of Object.entries({ [MARK]: "", ...attributes })) element.setAttribute(key, value);
    documentHead.append(element);
  }
}

/**
 * Sets the language and direction of the document. An invalid language becomes the site's; the gateway does not render such a
 * page.
 */
function setLanguage(tag: string, fallback: string): void {
  const { documentElement } = document;
  // As the gateway wrote it: the first `Intl.Locale` of a document costs the first view several milliseconds.
  if (documentElement.lang === tag) return;
  const language = languageOf(tag) ?? languageOf(fallback);
  if (!language) return;
  documentElement.lang = language.tag;
  documentElement.dir = language.direction;
}
