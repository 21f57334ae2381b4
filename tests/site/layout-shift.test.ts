import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { drawn, takenOver } from "../support/hydration";
import { open, SCREENS } from "../support/screens";

/** What moved by itself since the page began, and by how much. */
async function watchShifts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript(() => {
    const shifts: string[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { startTime, value, hadRecentInput, sources } = entry as PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
          sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
        };
        const place = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map((part) => part.toFixed(1)).join(" ");
        const moved = sources.map(({ node, previousRect, currentRect }) => {
          const what = node instanceof Element ? node.outerHTML.slice(0, 80) : "text";
          return `${what} from ${place(previousRect)} to ${place(currentRect)}`;
        });
        if (!hadRecentInput) shifts.push(`${startTime.toFixed()} ms, ${value.toFixed(4)}: ${moved.join(", ")}`);
      }
    }).observe({ type: "layout-shift", buffered: true });
  });
  return () => page.evaluate(() => (window as unknown as { shifts: string[] }).shifts);
}

async function scrollThrough(page: Page): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  for (let top = 0; top < Math.min(height, 8_000); top += 600) {
    await page.evaluate((y) => {
      scrollTo({ top: y, behavior: "instant" });
    }, top);
    await drawn(page);
  }
}

const LARGEST = { name: "the largest state", path: "/state/California", heading: "Escorts in California" };

for (const width of [320, 1280]) {
  for (const screen of [...SCREENS, LARGEST]) {
    test(`nothing moves by itself on ${screen.name} at ${String(width)} px: as it comes, is taken over, is scrolled`, async ({
      page,
    }) => {
      const shifts = await watchShifts(page);
      await page.setViewportSize({ width, height: 720 });
      await open(page, screen);
      await takenOver(page);
      await drawn(page);
      await scrollThrough(page);
      expect(await shifts()).toEqual([]);
    });
  }
}
