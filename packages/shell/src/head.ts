import type { Head, Site } from "@colonnade/kit";
import { isSitePath, type SocialImage } from "@colonnade/kit/shell";

import { head as documentHead } from "./documentMembers.js";
import { pathnameOf } from "./loading/reload.js";
import { languageOf } from "./language.js";
import { titlesOf, type ShellParts } from "./parts.js";

// Marks the tags that belong to the current page. The gateway writes them in the document, the shell afterwards.
const MARK = "data-head";

type Tag = readonly [name: "meta" | "link", attributes: Readonly<Record<string, string>>];

function absolute(origin: string, path: string): string {
  return `${origin}${path}`;
}

/** The URL of a page that a section names by its path, with or without a query; undefined if the text is not a path. */
function pageUrl(origin: string, path: string): string | undefined {
  return isSitePath(pathnameOf(path)) ? absolute(origin, path) : undefined;
}

function meta(key: "name" | "property", name: string, content: string | undefined): Tag[] {
  return content === undefined ? [] : [["meta", { [key]: name, content }]];
}

/** The links to the page in each of its languages. */
function alternateTags({ alternates = [] }: Head, origin: string): Tag[] {
  return alternates.flatMap(({ language, path }) => {
    const href = pageUrl(origin, path);
    return href === undefined ? [] : [["link", { rel: "alternate", hreflang: language, href }]];
  });
}

/** The tags of the image in link previews. */
function imageTags({ file, width, height, alt }: SocialImage, origin: string): Tag[] {
  return [
    ...meta("property", "og:image", absolute(origin, file)),
    ...meta("property", "og:image:width", String(width)),
    ...meta("property", "og:image:height", String(height)),
    ...meta("property", "og:image:alt", alt),
    ...meta("name", "twitter:card", "summary_large_image"),
  ];
}

/** The tags of a head, in order. */
function headTags(head: Head, origin: string, image: SocialImage | undefined): Tag[] {
  const { social } = head;
  const canonical = pageUrl(origin, head.canonical);
  return [
    ...meta("name", "description", head.description),
    ...meta("name", "robots", robotsOf(head)),
    ...meta("name", "keywords", head.keywords),
    ...(canonical === undefined ? [] : [["link", { rel: "canonical", href: canonical }] as const]),
    ...alternateTags(head, origin),
    ...meta("property", "og:title", social?.title),
    ...meta("property", "og:description", social?.description),
    ...meta("property", "og:type", social?.type),
    ...meta("property", "og:url", social && pageUrl(origin, social.url)),
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

/** Whether the document's head already belongs to the page with this canonical URL. */
function hasCanonical(url: string | undefined): boolean {
  return url !== undefined && documentHead.querySelector(`link[${MARK}][rel=canonical]`)?.getAttribute("href") === url;
}

/**
 * Replaces the page's tags in the document's head. `image` is the link preview image of pages that have `social`.
 *
 * Only the gateway writes the breadcrumb structured data: Trusted Types forbid scripts to create script elements, even
 * JSON-LD. It stays as long as its page is current.
 */
export function applyHead(head: Head | { title: string; robots: string }, site: Site, image?: SocialImage): void {
  const { origin } = site;
  document.title = head.title;
  setLanguage("canonical" in head ? (head.language ?? site.language) : site.language, site.language);
  const keepsBreadcrumbs = "canonical" in head && hasCanonical(pageUrl(origin, head.canonical));
  for (const old of documentHead.querySelectorAll(`[${MARK}]`)) {
    if (!(keepsBreadcrumbs && old.localName === "script")) old.remove();
  }
  // Also removes a robots tag that is not marked.
  documentHead.querySelector(`meta[name=robots]`)?.remove();
  const tags = "canonical" in head ? headTags(head, origin, image) : meta("name", "robots", robotsOf(head));
  for (const [name, attributes] of tags) append(name, attributes);
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
  if (!language || documentElement.lang === language.tag) return;
  documentElement.lang = language.tag;
  documentElement.dir = language.direction;
}

function append(name: string, attributes: Readonly<Record<string, string>>): void {
  const element = document.createElement(name);
  element.setAttribute(MARK, "");
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  documentHead.append(element);
}
