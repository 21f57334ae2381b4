import { styleAdvice, type BlockedElement } from "./elements.js";

// React escapes these characters in text and attribute values, so a match is markup.
const MARKUP: readonly [RegExp, Pick<BlockedElement, "code" | "message">][] = [
  [/<[a-z][^<>]*? style="/, { code: "COL120", message: "a style attribute in the rendered HTML" }],
  [/<script\b/, { code: "COL122", message: "a <script> element in the rendered HTML" }],
  [/<style\b[^>]*>/, { code: "COL123", message: "a <style> element in the rendered HTML" }],
];

/** Finds the markup in a page's HTML that the site's Content Security Policy blocks. */
export function findBlockedMarkup(html: string): BlockedElement[] {
  return MARKUP.flatMap(([pattern, violation]) => {
    const [match] = pattern.exec(html) ?? [];
    if (match === undefined) return [];
    const advice = styleAdvice(match);
    return [{ ...violation, ...(advice && violation.code === "COL123" && { advice }) }];
  });
}
