/** An element: its name, its props as React names them, or null, and its children. */
export type HtmlElement = readonly [
  name: string,
  props: Readonly<Record<string, string | number | boolean>> | null,
  ...children: (string | HtmlElement)[],
];

/** Sanitized HTML as JSON, for a page's data: texts and elements. */
export type HtmlContent = readonly (string | HtmlElement)[];

/** What {@link parseHtml} keeps in addition. Names are those of HTML, such as `class` and `srcset`, in any case. */
export interface HtmlAllow {
  /** Names of elements, custom ones too. */
  readonly elements?: readonly string[];
  /** Names of attributes, by the name of their element; `*` is every element. */
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  /** Names of protocols without a colon, by the name of the attribute, such as `{ href: ["tel"] }`. */
  readonly protocols?: Readonly<Record<string, readonly string[]>>;
}

/** Options of {@link parseHtml}. */
export interface HtmlOptions {
  /** What to keep in addition to text elements, lists, tables, links and images. */
  readonly allow?: HtmlAllow;
}

/**
 * Parses HTML as browsers do, and returns what is safe of it, for `<Html>`. Call it in a page's `data`: on the first view the
 * browser gets the result with the document, and not the parser. Scripts, event handlers, styles and `javascript:` URLs are
 * removed, whatever `allow` says. IDs get the prefix `user-content-`, and in `<Html>` links of the page to them too. An element that
 * is not allowed is replaced by its content. Null and undefined are empty HTML. Malformed HTML is never an error; what is nested
 * deeper than 64 elements is left out.
 *
 * @throws TypeError if `allow` has what is never allowed, such as `script`, or no valid name, such as `tel:`.
 *
 * @example
 * ```tsx
 * import { definePage } from "@colonnade/kit";
 * import { Html, parseHtml } from "@colonnade/kit/html";
 *
 * export const page = definePage({
 *   queries: () => ({ about: "/api/cms/about" }),
 *   data: async ({ results: { about } }) => parseHtml(about.ok ? (about.value as { html: string }).html : ""),
 *   head: ({ site }) => ({ title: site.brand, description: "About us", canonical: "/about" }),
 *   Component: ({ data }) => (
 *     <>
 *       <h1>About us</h1>
 *       <Html source={data} components={{ h1: "h2" }} />
 *     </>
 *   ),
 * });
 * ```
 */
export async function parseHtml(source: string | null | undefined, { allow }: HtmlOptions = {}): Promise<HtmlContent> {
  // By its name: a shell can share the parser.
  const { parse } = await import("@colonnade/kit/html/parser");
  return parse(source ?? "", allow);
}
