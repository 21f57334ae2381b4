import type { Page } from "@playwright/test";

/** Minimum target size without exceptions (WCAG 2.2, 2.5.8). */
const MINIMUM = 24;

/**
 * Visible controls smaller than `least` CSS pixels in either dimension. Links within a sentence are exempt
 * (WCAG 2.2, 2.5.8); links in table cells and description lists are not. A link of the minimum size is exempt if a link
 * of the required size leads to the same page (2.5.5).
 */
export async function smallTargets(page: Page, least: number): Promise<readonly string[]> {
  return page.evaluate(
    ([size, minimum]) => {
      const isInSentence = (element: Element): boolean => {
        if (element.tagName !== "A" || getComputedStyle(element).display !== "inline") return false;
        const text = element.closest("p, .prose li");
        if (!text) return false;
        // A sentence has text outside its links; a link alone in its paragraph is not part of one.
        const others = text.cloneNode(true) as Element;
        for (const link of others.querySelectorAll("a")) link.remove();
        return /\p{L}/u.test(others.textContent);
      };
      // An absolutely positioned pseudo-element extends the link's target, for example over a whole card.
      const boxOf = (element: Element): DOMRect => {
        const hasOverlay = ["::before", "::after"].some(
          (part) => getComputedStyle(element, part).position === "absolute",
        );
        const overlay = hasOverlay ? (element as HTMLElement).offsetParent : null;
        return (overlay ?? element).getBoundingClientRect();
      };
      const isSmaller = (element: Element, limit: number): boolean => {
        const { width, height } = boxOf(element);
        return width > 0 && (width < limit - 0.5 || height < limit - 0.5);
      };
      const hasEquivalent = (element: Element): boolean =>
        element instanceof HTMLAnchorElement &&
        !isSmaller(element, minimum) &&
        [...document.links].some(
          (link) => link.href === element.href && boxOf(link).width > 0 && !isSmaller(link, size),
        );
      return [...document.querySelectorAll("a[href], button, input, summary, select, textarea")]
        .filter((element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
        .filter((element) => !element.closest(".visually-hidden, .skip-link") && !isInSentence(element))
        .filter((element) => isSmaller(element, size) && !hasEquivalent(element))
        .map((element) => {
          const { width, height } = boxOf(element);
          return `${element.outerHTML.slice(0, 100)} is ${String(Math.round(width))} by ${String(Math.round(height))}`;
        });
    },
    [least, MINIMUM] as const,
  );
}
