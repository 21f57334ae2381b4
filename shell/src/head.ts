import type { Head } from "@colonnade/kit";
import type { SocialImage } from "@colonnade/kit/shell";

// Tags the shell made; the rest of the document's head is the gateway's.
const MARK = "data-head";

type Tag = readonly [name: "meta" | "link", attributes: Readonly<Record<string, string>>];

function absolute(origin: string, path: string): string {
  return `${origin}${path}`;
}

function meta(key: "name" | "property", name: string, content: string | undefined): Tag[] {
  return content === undefined ? [] : [["meta", { [key]: name, content }]];
}

/** The tags of the picture beside a link to a page. */
function pictureOf({ file, width, height, alt }: SocialImage, origin: string): Tag[] {
  return [
    ...meta("property", "og:image", absolute(origin, file)),
    ...meta("property", "og:image:width", String(width)),
    ...meta("property", "og:image:height", String(height)),
    ...meta("property", "og:image:alt", alt),
    ...meta("name", "twitter:card", "summary_large_image"),
  ];
}

/** The tags of a head, in order. */
function tagsOf(head: Head, origin: string, image: SocialImage | undefined): Tag[] {
  const { social } = head;
  return [
    ...meta("name", "description", head.description),
    ...meta("name", "robots", robotsOf(head)),
    ...meta("name", "keywords", head.keywords),
    ["link", { rel: "canonical", href: absolute(origin, head.canonical) }],
    ...meta("property", "og:title", social?.title),
    ...meta("property", "og:description", social?.description),
    ...meta("property", "og:type", social?.type),
    ...meta("property", "og:url", social && absolute(origin, social.url)),
    ...(social && image ? pictureOf(image, origin) : []),
  ];
}

/** Head of a page that does not exist or could not be shown: nothing for search engines. */
export function plainHead(title: string): { title: string; robots: string } {
  return { title, robots: "noindex" };
}

/** Whether the gateway has marked this document as a preview, for whoever has a link to it. */
function isPreview(): boolean {
  return document.querySelector("body > .preview") !== null;
}

/** What search engines are told of a page; never to keep one of a preview. */
function robotsOf({ robots }: { readonly robots?: string }): string | undefined {
  return isPreview() ? "noindex,nofollow" : robots;
}

/** Whether the document's head is of the page with this address already. */
function isOf(address: string): boolean {
  return document.head.querySelector(`link[${MARK}][rel=canonical]`)?.getAttribute("href") === address;
}

/**
 * Brings the document's head in step with the page that is shown. The trail of breadcrumbs, which search engines read in
 * the document of each address, is the gateway's alone: no script may write a script (Trusted Types), not even one that
 * is data. So it stays for as long as its page is shown. `image` stands beside links to pages that may be shared.
 */
export function applyHead(head: Head | { title: string; robots: string }, origin: string, image?: SocialImage): void {
  document.title = head.title;
  const keepsTrail = "canonical" in head && isOf(absolute(origin, head.canonical));
  for (const old of document.head.querySelectorAll(`[${MARK}]`)) {
    if (!(keepsTrail && old.localName === "script")) old.remove();
  }
  // A document of an unknown path says noindex by itself.
  document.head.querySelector(`meta[name=robots]`)?.remove();
  const tags = "canonical" in head ? tagsOf(head, origin, image) : meta("name", "robots", robotsOf(head));
  for (const [name, attributes] of tags) append(name, attributes);
}

function append(name: string, attributes: Readonly<Record<string, string>>): void {
  const element = document.createElement(name);
  element.setAttribute(MARK, "");
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  document.head.append(element);
}
