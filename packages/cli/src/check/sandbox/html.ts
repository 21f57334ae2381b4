import { STYLE_ATTRIBUTES, STYLE_ELEMENTS } from "../permission.js";
import { styleAdvice, takeBlockedElements, type BlockedElement } from "./elements.js";

// React escapes these characters in text and attribute values, so a match is markup.
const MARKUP: readonly [RegExp, Pick<BlockedElement, "code" | "message" | "permission">][] = [
  [
    /<[a-z][^<>]*? style="/,
    { code: "COL120", message: "a style attribute in the rendered HTML", permission: STYLE_ATTRIBUTES },
  ],
  [/<script\b/, { code: "COL122", message: "a <script> element in the rendered HTML" }],
  [/<style\b[^>]*>/, { code: "COL123", message: "a <style> element in the rendered HTML", permission: STYLE_ELEMENTS }],
];

let inHtml: BlockedElement[] = [];

/** Finds blocked elements in rendered HTML, which {@link takeBlocked} returns. */
export function inspectHtml(html: string): void {
  inHtml = findBlockedMarkup(html);
}

/** Returns the blocked elements that the section created or rendered since the last call. */
export function takeBlocked(): readonly BlockedElement[] {
  const created = takeBlockedElements();
  const codes = new Set(created.map(({ code }) => code));
  // What was created with a known position is also in the HTML.
  const others = inHtml.filter(({ code }) => !codes.has(code));
  inHtml = [];
  return [...created, ...others];
}

/** Finds the markup in a page's HTML that the site's Content Security Policy blocks. */
function findBlockedMarkup(html: string): BlockedElement[] {
  return MARKUP.flatMap(([pattern, violation]) => {
    const [match] = pattern.exec(html) ?? [];
    if (match === undefined) return [];
    const advice = styleAdvice(match);
    return [{ ...violation, ...(advice && violation.code === "COL123" && { advice }) }];
  });
}
