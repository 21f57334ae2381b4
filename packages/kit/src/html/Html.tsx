import { useLocation } from "@colonnade/kit";
import { createElement, Fragment, type ElementType, type ReactElement, type ReactNode } from "react";

import type { HtmlContent } from "./content.js";

/** Components, or names of other elements, by the name of the element that they replace. They get its props. */
export type HtmlComponents = Readonly<Record<string, ElementType>>;

/** Props of {@link Html}. */
export interface HtmlProps {
  /** What `parseHtml` returned. */
  readonly source: HtmlContent;
  /** What to render in place of elements, such as `{ img: Figure, h1: "h2" }`. */
  readonly components?: HtmlComponents;
}

/**
 * Renders HTML as React elements, the same on the server and in the browser. Links are followed by the shell, as all links.
 *
 * @example
 * ```tsx
 * import { Html, type HtmlContent } from "@colonnade/kit/html";
 *
 * const Image = ({ src, alt }: { readonly src?: string; readonly alt?: string }) => (
 *   <img src={src} alt={alt ?? ""} loading="lazy" />
 * );
 *
 * export const Body = ({ body }: { body: HtmlContent }) => <Html source={body} components={{ img: Image }} />;
 * ```
 */
export function Html({ source, components = {} }: HtmlProps): ReactElement {
  const { pathname } = useLocation();
  return createElement(Fragment, null, ...elementsOf(source, components, pathname));
}

function elementsOf(content: HtmlContent, components: HtmlComponents, page: string): ReactNode[] {
  return content.map((node) => {
    if (typeof node === "string") return node;
    const [name, props, ...children] = node;
    const type = (Object.hasOwn(components, name) ? components[name] : undefined) ?? name;
    const href = typeof props?.href === "string" ? { href: prefixed(props.href, page) } : {};
    return createElement(type, { ...props, ...href }, ...elementsOf(children, components, page));
  });
}

/** A link to an element of the page, with or without the page's path, is one to the ID that the parser gives it. */
function prefixed(href: string, page: string): string {
  const [, path, id] = /^([^#]*)#(.+)$/.exec(href) ?? [];
  return id && (path === "" || path === page) ? `#user-content-${id}` : href;
}
