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

for (const [path, link] of [
  ["/", "/state/Wyoming"],
  ["/state/California", "/city/California/Yuba%20City"],
] as const)
  test(`what is out of sight of ${path} is laid out a frame later than what is in sight, and nothing moves`, async ({
    page,
  }) => {
    const startShell = await hold(page, SHELL);
    const shifts = await watchShifts(page);
    await page.addInitScript((href) => {
      const seen: boolean[] = [];
      Object.assign(globalThis, { seen });
      const look = (): void => {
        const last = document.querySelector(`main a[href="${href}"]`);
        if (last) seen.push(last.checkVisibility());
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }, link);
    await page.goto(path, { waitUntil: "commit" });
    await expect(page.locator(`main a[href="${link}"]`)).toBeVisible();
    const seen = await page.evaluate(() => (globalThis as unknown as { seen: boolean[] }).seen);
    expect(seen[0]).toBe(false);
    startShell();
    await takenOver(page);
    await drawn(page);
    expect(await shifts()).toEqual([]);
  });
