import { expect, test } from "../support/fixtures";
import { waitForPaint, holdRequests, SHELL, waitForHydration, waitForParsed } from "../support/hydration";
import { boxOf } from "../support/layout";
import { recordLayoutShifts } from "../support/layout-shifts";

test.use({ viewport: { width: 412, height: 823 }, reducedMotion: "no-preference" });

test("Content below the fold is laid out near the viewport", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  const shifts = await recordLayoutShifts(page);
  await page.goto("/", { waitUntil: "commit" });
  const benefits = page.getByRole("heading", { name: "What to expect" });
  const isLaidOut = (): Promise<boolean> =>
    benefits.evaluate((heading) => heading.checkVisibility({ contentVisibilityAuto: true }));
  await waitForParsed(page);
  await waitForPaint(page);
  expect(await isLaidOut()).toBe(false);
  // The page is scrolled to its end before the shell loads: hydration must not move visible content.
  await page.evaluate(() => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  });
  await waitForPaint(page);
  const last = page.locator("main h2").last();
  const before = await boxOf(last);
  startShell();
  await waitForHydration(page);
  await waitForPaint(page);
  expect(await isLaidOut()).toBe(true);
  expect((await boxOf(last)).y).toBeCloseTo(before.y, 0);
  expect(await shifts()).toEqual([]);
});

interface Frames {
  /** Whether the offscreen element was laid out, per frame since it was parsed. */
  readonly offscreen: boolean[];
  /** Whether the visible element was laid out in the same frames. */
  readonly visible: boolean[];
}

const CITIES = '[aria-label^="Cities in"]';

// The offscreen link is the first in its box, because a document may be parsed in several frames.
for (const [path, visible, offscreen, height] of [
  ["/", "main h1", '[aria-labelledby="states"] a[href="/state/Alabama"]', 720],
  [
    "/state/California",
    `${CITIES} a[href="/city/California/Adelanto"]`,
    `${CITIES} a[href="/city/California/Yorba%20Linda"]`,
    720,
  ],
  [
    "/state/Washington",
    `${CITIES} a[href="/city/Washington/Bellevue"]`,
    `${CITIES} a[href="/city/Washington/Yakima"]`,
    1080,
  ],
] as const)
  test.describe(() => {
    test.use({ viewport: { width: 1280, height } });

    test(`${path} lays out offscreen content later, without shifts`, async ({ page }) => {
      const startShell = await holdRequests(page, SHELL);
      const shifts = await recordLayoutShifts(page);
      await page.addInitScript(
        ([visible, offscreen]) => {
          const frames: Frames = { visible: [], offscreen: [] };
          Object.assign(globalThis, { frames });
          const record = (): void => {
            const last = document.querySelector(offscreen);
            if (last) {
              frames.offscreen.push(last.checkVisibility());
              frames.visible.push(document.querySelector(visible)?.checkVisibility() ?? false);
            }
            requestAnimationFrame(record);
          };
          requestAnimationFrame(record);
        },
        [visible, offscreen] as const,
      );
      await page.goto(path, { waitUntil: "commit" });
      await expect(page.locator(offscreen)).toBeVisible();
      const frames = await page.evaluate(() => (globalThis as unknown as { frames: Frames }).frames);
      expect(frames.visible).not.toContain(false);
      expect(frames.offscreen[0]).toBe(false);
      // An animation ends in the frame after its first. A busy browser takes two more.
      expect(frames.offscreen.indexOf(true)).toBeLessThanOrEqual(3);
      startShell();
      await waitForHydration(page);
      await waitForPaint(page);
      expect(await shifts()).toEqual([]);
    });
  });

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("A fragment URL scrolls to deferred content", async ({ page }) => {
    await page.goto("/state/California#cities-y");
    await expect(page.getByRole("heading", { name: "Y", exact: true })).toBeInViewport();
    await expect(page.getByRole("link", { name: "Yucca Valley" })).toBeVisible();
  });

  test("Deferred content is visible, also with reduced motion", async ({ page }) => {
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      await page.emulateMedia({ reducedMotion });
      await page.goto("/");
      await expect(page.getByRole("link", { name: "Wyoming", exact: true })).toBeVisible();
      await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeVisible();
    }
  });
});
