/**
 * HTML from a content management system, as React elements. A section bundles what it uses of this.
 *
 * @module html
 */
export { Html, type HtmlComponents, type HtmlProps } from "./Html.js";
export { parseHtml, type HtmlAllow, type HtmlContent, type HtmlElement, type HtmlOptions } from "./content.js";
