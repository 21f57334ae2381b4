import { Readable } from "node:stream";

import { defaultTreeAdapter as tree, html, parse, serialize, type DefaultTreeAdapterMap } from "parse5";

import { EXTENSION_ATTRIBUTE, type Asset, type Boot, type Rendered } from "@colonnade/kit/shell";
import { forward, textOf } from "./forward.js";

type Element = DefaultTreeAdapterMap["element"];
type Node = DefaultTreeAdapterMap["node"];

/** The page that replaces the page of a document. */
interface PageChange {
  /** Null if the browser renders the page. */
  readonly rendered: Rendered | null;
  readonly styles: readonly Asset[];
}

/** What `colonnade dev` changes in a document. */
interface DocumentChanges {
  readonly boot: Boot;
  /** URL paths of the shell's scripts. */
  readonly scripts: readonly string[];
  /** The script that connects the page to `colonnade dev`: its URL path and its initial state. */
  readonly client: { readonly href: string; readonly state: unknown };
  /** The sections under development, whose released files are not loaded. */
  readonly sections: readonly string[];
  readonly page?: PageChange;
}

const SHELL_ASSETS = /^(\/assets\/shell\/[^/]+\/)[^/]+\.js$/;
// A placeholder. The page's HTML replaces it in the serialized document, because it is not parsed.
const ROOT_CONTENT = "colonnade-root-content";

/** The element with the boot payload. The gateway writes it last: an element of the page may have its ID, too. */
function bootPayload(elements: readonly Element[]): Element | undefined {
  return elements.filter((element) => attribute(element, "id") === "boot").at(-1);
}

/** A document of a gateway. */
export class SiteDocument {
  readonly #document: DefaultTreeAdapterMap["document"];
  readonly #elements: readonly Element[];
  readonly boot: Boot;
  /** URL path of the folder of the shell's files. */
  readonly shellAssets: string;

  private constructor(
    document: DefaultTreeAdapterMap["document"],
    elements: Element[],
    boot: Boot,
    shellAssets: string,
  ) {
    this.#document = document;
    this.#elements = elements;
    this.boot = boot;
    this.shellAssets = shellAssets;
  }

  /** Parses a document. Returns undefined for HTML without a shell, such as an error page. */
  static parse(text: string): SiteDocument | undefined {
    const document = parse(text);
    const elements = [...elementsBelow(document)];
    const data = bootPayload(elements)?.childNodes[0];
    const shellAssets = elements.flatMap((element) => SHELL_ASSETS.exec(attribute(element, "src") ?? "")?.[1] ?? [])[0];
    if (!data || !tree.isTextNode(data) || shellAssets === undefined) return undefined;
    return new SiteDocument(document, elements, JSON.parse(data.value) as Boot, shellAssets);
  }

  /** Returns the changed document as HTML. */
  change({ boot, scripts, client, sections, page }: DocumentChanges): string {
    const released = releasedStyles(this.boot, sections);
    for (const element of this.#elements)
      if (this.#isShellScript(element) || isReleased(element, sections, released)) tree.detachNode(element);
    const head = this.#find("head");
    tree.appendChild(
      head,
      createElement("meta", { name: "colonnade-development", content: JSON.stringify(client.state) }),
    );
    tree.appendChild(head, createElement("script", { type: "module", src: client.href }));
    for (const src of scripts) tree.appendChild(head, createElement("script", { src, defer: "" }));
    if (page) this.#changePage(head, page);
    const data = bootPayload(this.#elements);
    if (data) setText(data, JSON.stringify(boot).replaceAll("<", "\\u003c"));
    const text = serialize(this.#document);
    return page ? text.replace(ROOT_CONTENT, () => page.rendered?.html ?? "") : text;
  }

  #changePage(head: Element, { rendered, styles }: PageChange): void {
    for (const element of this.#elements) {
      const isHead = attribute(element, "data-head") !== undefined;
      // The browser would wait for an element that only a rendered page has.
      const isBlocking = !rendered && attribute(element, "rel") === "expect";
      if (isHead || isBlocking) tree.detachNode(element);
    }
    if (rendered) setText(this.#find("title"), rendered.head.title);
    for (const { href, name } of styles)
      tree.appendChild(head, createElement("link", { rel: "stylesheet", href, "data-href": name }));
    const root = this.#elements.find((element) => attribute(element, "id") === "root");
    if (root) setText(root, ROOT_CONTENT);
  }

  #isShellScript(element: Element): boolean {
    const url = attribute(element, "src") ?? (attribute(element, "as") === "script" ? attribute(element, "href") : "");
    return url?.startsWith(this.shellAssets) === true;
  }

  #find(name: string): Element {
    const element = this.#elements.find(({ tagName }) => tagName === name);
    if (!element) throw new Error(`the document has no ${name} element`);
    return element;
  }
}

/**
 * Requests the home page of a site. The document is undefined if the page has no shell.
 *
 * @throws GatewayError if the site is unreachable.
 */
export async function readSite(origin: string): Promise<{ status: number; document: SiteDocument | undefined }> {
  const headers = { host: new URL(origin).host, accept: "text/html", "accept-encoding": "identity" };
  const response = await forward(`${origin}/`, "GET", headers, Readable.from([]));
  return { status: response.statusCode ?? 0, document: SiteDocument.parse(await textOf(response)) };
}

function* elementsBelow(node: Node): Generator<Element> {
  if (tree.isElementNode(node)) yield node;
  if ("childNodes" in node) for (const child of node.childNodes) yield* elementsBelow(child);
}

function attribute(element: Element, name: string): string | undefined {
  return element.attrs.find((candidate) => candidate.name === name)?.value;
}

function createElement(name: string, attributes: Readonly<Record<string, string>>): Element {
  const attrs = Object.entries(attributes).map(([key, value]) => ({ name: key, value }));
  return tree.createElement(name, html.NS.HTML, attrs);
}

function setText(element: Element, text: string): void {
  for (const child of [...element.childNodes]) tree.detachNode(child);
  tree.insertText(element, text);
}

/** Names of the released stylesheets of these sections, which the gateway inlines. */
function releasedStyles({ page }: Boot, sections: readonly string[]): Set<string> {
  const assets = page && sections.includes(page.section.name) ? [...page.section.assets, ...page.assets] : [];
  return new Set(assets.map(({ name }) => name));
}

function isReleased(element: Element, sections: readonly string[], styles: ReadonlySet<string>): boolean {
  // An extension, or a stylesheet of one.
  const partSection = attribute(element, "data-part")?.split(" ").at(-1);
  if (sections.includes(attribute(element, EXTENSION_ATTRIBUTE) ?? partSection ?? "")) return true;
  if (element.tagName === "style") return styles.has(attribute(element, "data-href") ?? "");
  if (element.tagName !== "link") return false;
  const href = attribute(element, "href") ?? "";
  return sections.some((name) => href.startsWith(`/assets/${name}/`));
}
