import type { Page } from "@playwright/test";

/**
 * Controls that are shown and smaller than `least` CSS pixels either way. A link within a sentence is as high as its
 * line: WCAG 2.2, 2.5.8, leaves it out. One in a cell of a table or a list of terms is there to be chosen.
 */
export async function smallTargets(page: Page, least: number): Promise<readonly string[]> {
  return page.evaluate((size) => {
    const isInSentence = (element: Element): boolean => {
      if (element.tagName !== "A" || getComputedStyle(element).display !== "inline") return false;
      const text = element.closest("p, .prose li");
      if (!text) return false;
      // Without its links, it has words of its own: a link alone in its paragraph is no part of a sentence.
      const others = text.cloneNode(true) as Element;
      for (const link of others.querySelectorAll("a")) link.remove();
      return /\p{L}/u.test(others.textContent);
    };
    // What a link is drawn over belongs to it: a whole card, say.
    const boxOf = (element: Element): DOMRect => {
      const isOver = ["::before", "::after"].some((part) => getComputedStyle(element, part).position === "absolute");
      const over = isOver ? (element as HTMLElement).offsetParent : null;
      return (over ?? element).getBoundingClientRect();
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
