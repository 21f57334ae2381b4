import type { FormAnswer, Head, Layout } from "./page.js";
import type { SiteFacts } from "./site.js";

/** A file of a release that a view needs. */
export interface Asset {
  /** URL path. */
  readonly href: string;
  /** File name below the release, by which webpack recognises a stylesheet that is already there. */
  readonly name: string;
  /** Subresource Integrity value, `sha384-…`. */
  readonly integrity: string;
  readonly type: "script" | "style";
}

/** One release of a section, as the browser loads it. */
export interface SectionEntry {
  readonly name: string;
  readonly version: string;
  /** Global name of its Module Federation container; no two releases share one. */
  readonly container: string;
  /** URL path of the container's script. */
  readonly entry: string;
  readonly integrity: string;
  /** What all of its pages and slots need besides the entry. */
  readonly assets: readonly Asset[];
}

/** Which section and page a path belongs to: part of the boot payload, and the answer of `/_page`. */
export interface PageAnswer {
  readonly section: SectionEntry;
  readonly pattern: string;
  /** What the page's first view needs besides the section's own. */
  readonly assets: readonly Asset[];
}

/** Which section fills a slot. */
export interface SlotAnswer {
  readonly section: SectionEntry;
  readonly assets: readonly Asset[];
}

/** A page as it was rendered on the server: what the shell needs to go on from there. */
export type RenderedView =
  | { readonly kind: "page"; readonly data: unknown; readonly head: Head; readonly layout: Layout }
  | { readonly kind: "notFound"; readonly heading: string };

/** What is shown of the site where a page of it is shared. */
export interface SocialImage {
  /** URL path. */
  readonly file: string;
  /** In pixels. */
  readonly width: number;
  /** In pixels. */
  readonly height: number;
  readonly alt: string;
}

/** The data block of a document from which the shell starts. */
export interface Boot {
  /** Number of the deployment the document belongs to; an open tab stays on it. */
  readonly deployment: number;
  readonly site: SiteFacts;
  /** Null on a path that no page matches. */
  readonly page: PageAnswer | null;
  readonly slots: Readonly<Record<string, SlotAnswer>>;
  /** Present where the document came with the page rendered. */
  readonly view?: RenderedView;
  /** In the answer to a form post, whose address is not the page's: the path of the page that shows it. */
  readonly form?: FormAnswer & { readonly page: string };
  /** How many of the failures of sections the gateway wants to be told of; without it, none. */
  readonly reports?: { readonly samplePercent: number };
  /** Absent: the shell's release has none. */
  readonly socialImage?: SocialImage;
}
