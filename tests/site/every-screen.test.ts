import { expect, test } from "../support/fixtures";
import { hoverRules } from "../support/hover";
import { expectEdges } from "../support/forced-colours";
import { drawn, takenOver } from "../support/hydration";
import { expectNoSidewaysScroll } from "../support/layout";
import { straightQuotes } from "../support/quotes";
import { open, SCREENS, type Screen } from "../support/screens";
import { scrollThrough, watchShifts } from "../support/shifts";
import { expectStructure } from "../support/structure";
import { smallTargets } from "../support/targets";

const EVERY: readonly Screen[] = [
  ...SCREENS,
  { name: "the largest state", path: "/state/California", heading: "Escorts in California" },
];

// Each screen is opened once for all of this: opening it costs more than what is asked of it.
test.describe("with a mouse, at 1280 px", () => {
  test.use({ viewport: { width: 1280, height: 720 } });

  for (const screen of EVERY) {
    test(`${screen.name} stays where it is, is in order and well set, and fits other widths, targets and colours`, async ({
      page,
    }) => {
      const shifts = await watchShifts(page);
      await open(page, screen);
      await test.step("nothing moves by itself: as it comes, is taken over, is scrolled", async () => {
        await takenOver(page);
        await drawn(page);
        await scrollThrough(page);
        expect(await shifts()).toEqual([]);
      });
      await test.step("it has its language, its landmarks, one h1 first, and headings in order", () =>
        expectStructure(page, screen));
      await test.step("it sets quotation marks and apostrophes as print does", async () => {
        expect(await straightQuotes(page)).toEqual([]);
      });
      await test.step("every target is at least 24 px high and wide", async () => {
        expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(false);
        expect(await smallTargets(page, 24)).toEqual([]);
      });
      await test.step("in the visitor's own colours it keeps its edges and its focus ring", () => expectEdges(page));
      await test.step("nothing is scrolled sideways at 320, 768 and 1280 px", async () => {
        for (const width of [320, 768, 1280]) {
          await page.setViewportSize({ width, height: 800 });
          await expectNoSidewaysScroll(page);
        }
      });
    });
  }
});

test.describe("with a finger, at 320 px", () => {
  test.use({ viewport: { width: 320, height: 720 }, hasTouch: true, isMobile: true });

  for (const screen of EVERY) {
    test(`${screen.name} stays where it is, has targets of 44 px, and keeps nothing highlighted`, async ({ page }) => {
      const shifts = await watchShifts(page);
      await open(page, screen);
      await takenOver(page);
      await drawn(page);
      await scrollThrough(page);
      expect(await shifts()).toEqual([]);
      expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
      expect(await smallTargets(page, 44)).toEqual([]);
      // After a tap a browser takes what was tapped for what is under the pointer.
      expect(await hoverRules(page)).toEqual([]);
    });
  }
});
