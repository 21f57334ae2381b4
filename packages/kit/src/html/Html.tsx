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
  return createElement(Fragment, null, ...elementsOf(source, components));
}

function elementsOf(content: HtmlContent, components: HtmlComponents): ReactNode[] {
  return content.map((node) => {
    if (typeof node === "string") return node;
    const [name, props, ...children] = node;
    const type = (Object.hasOwn(components, name) ? components[name] : undefined) ?? name;
    return createElement(type, props, ...elementsOf(children, components));
  });
}
