import { expect, test } from "../support/fixtures";
import { drawn, hold, SHELL, takenOver } from "../support/hydration";
import { boxOf } from "../support/layout";
import { watchShifts } from "../support/shifts";

test.use({ viewport: { width: 412, height: 823 } });

test("what is below the first screens is laid out when it is near, and for good once script has taken over", async ({
  page,
}) => {
  const startShell = await hold(page, SHELL);
  const shifts = await watchShifts(page);
  await page.goto("/", { waitUntil: "commit" });
  const benefits = page.getByRole("heading", { name: "What to expect" });
  const isLaidOut = (): Promise<boolean> =>
    benefits.evaluate((heading) => heading.checkVisibility({ contentVisibilityAuto: true }));
  await drawn(page);
  expect(await isLaidOut()).toBe(false);
  // A visitor is at the end before the shell is there: all of it moves to where it is, and nothing in sight does.
  await page.evaluate(() => {
    scrollTo({ top: document.documentElement.scrollHeight, behavior: "instant" });
  });
  await drawn(page);
  const last = page.locator("main h2").last();
  const before = await boxOf(last);
  startShell();
  await takenOver(page);
  await drawn(page);
  expect(await isLaidOut()).toBe(true);
  expect((await boxOf(last)).y).toBeCloseTo(before.y, 0);
  expect(await shifts()).toEqual([]);
});

interface Frames {
  /** Whether what is out of sight was laid out when a frame began, from the one in which it was there. */
  readonly later: boolean[];
  /** Whether what is in sight was. */
  readonly sooner: boolean[];
}

for (const [path, sooner, later, height] of [
  ["/", "main h1", "/state/Wyoming", 720],
  ["/state/California", 'main a[href="/city/California/Adelanto"]', "/city/California/Yucca%20Valley", 720],
  ["/state/Washington", 'main a[href="/city/Washington/Bellevue"]', "/city/Washington/Yakima", 1080],
] as const)
  test.describe(() => {
    test.use({ viewport: { width: 1280, height } });

    test(`what is out of sight of ${path} is laid out a frame later than what is in sight, and nothing moves`, async ({
      page,
    }) => {
      const startShell = await hold(page, SHELL);
      const shifts = await watchShifts(page);
      await page.addInitScript(
        ([sooner, later]) => {
          const frames: Frames = { sooner: [], later: [] };
          Object.assign(globalThis, { frames });
          const look = (): void => {
            const last = document.querySelector(later);
            if (last) {
              frames.later.push(last.checkVisibility());
              frames.sooner.push(document.querySelector(sooner)?.checkVisibility() ?? false);
            }
            requestAnimationFrame(look);
          };
          requestAnimationFrame(look);
        },
        [sooner, `main a[href="${later}"]`] as const,
      );
      await page.goto(path, { waitUntil: "commit" });
      await expect(page.locator(`main a[href="${later}"]`)).toBeVisible();
      const frames = await page.evaluate(() => (globalThis as unknown as { frames: Frames }).frames);
      expect(frames.sooner).not.toContain(false);
      expect(frames.later[0]).toBe(false);
      // An animation ends with the frame after that in which it began; a busy browser takes two more.
      expect(frames.later.indexOf(true)).toBeLessThanOrEqual(3);
      startShell();
      await takenOver(page);
      await drawn(page);
      expect(await shifts()).toEqual([]);
    });
  });

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("an address that names a place among them leads there", async ({ page }) => {
    await page.goto("/state/California#cities-y");
    await expect(page.getByRole("heading", { name: "Y", exact: true })).toBeInViewport();
    await expect(page.getByRole("link", { name: "Yucca Valley" })).toBeVisible();
  });

  test("they are there, also where less motion is wanted", async ({ page }) => {
    for (const reducedMotion of ["no-preference", "reduce"] as const) {
      await page.emulateMedia({ reducedMotion });
      await page.goto("/");
      await expect(page.getByRole("link", { name: "Wyoming" })).toBeVisible();
      await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeVisible();
    }
  });
});
