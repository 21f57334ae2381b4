import type { Page } from "@playwright/test";

/**
 * Visible controls smaller than `least` CSS pixels in either dimension. Links within a sentence are exempt
 * (WCAG 2.2, 2.5.8); links in table cells and description lists are not.
 */
export async function smallTargets(page: Page, least: number): Promise<readonly string[]> {
  return page.evaluate((size) => {
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
    return [...document.querySelectorAll("a[href], button, input, summary, select, textarea")]
      .filter((element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }))
      .filter((element) => !element.closest(".visually-hidden, .skip-link") && !isInSentence(element))
      .filter((element) => {
        const { width, height } = boxOf(element);
        return width > 0 && (width < size - 0.5 || height < size - 0.5);
      })
      .map((element) => {
        const { width, height } = boxOf(element);
        return `${element.outerHTML.slice(0, 100)} is ${String(Math.round(width))} by ${String(Math.round(height))}`;
      });
  }, least);
}
