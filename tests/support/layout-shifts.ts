import type { Page } from "@playwright/test";

import { waitForPaint } from "./hydration";

/** The least shift that counts. The font of headings, if it is late, moves words within their lines. */
const LEAST = 0.001;

/**
 * Records layout shifts from the next document on. The returned function lists those of at least {@link LEAST} without recent
 * user input.
 */
export async function recordLayoutShifts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript((least) => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    const place = ({ x, y, width, height }: DOMRect): string =>
      [x, y, width, height].map((part) => part.toFixed(1)).join(" ");
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { startTime, value, hadRecentInput, sources } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
          sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
        };
        const moved = sources.map(({ node, previousRect, currentRect }) => {
          const what = node instanceof Element ? node.outerHTML.slice(0, 80) : "text";
          return `${what} from ${place(previousRect)} to ${place(currentRect)}`;
        });
        if (!hadRecentInput && value >= least)
          shifts.push(`${startTime.toFixed()} ms, ${value.toFixed(4)}: ${moved.join(", ")}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  }, LEAST);
  return () => page.evaluate(() => (window as unknown as { shifts: string[] }).shifts);
}

/** Scrolls through the first 8,000 pixels of a page, then to its end. */
export async function scrollThrough(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let top = 0; top < Math.min(height, 8_000); top += 600) {
    await page.evaluate((y) => {
      scrollTo({ top: y, behavior: "instant" });
    }, top);
    await waitForPaint(page);
  }
  await page.evaluate(() => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  });
  await waitForPaint(page);
}
