// All checks that apply to every screen. Each screen is loaded once per device, because loading costs more than checking.
import { expectAccessible } from "../support/axe";
import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { expectEdges } from "../support/forced-colors";
import { hoverRules } from "../support/hover";
import { expectHttpError } from "../support/http-errors";
import { waitForHydration, waitForPaint } from "../support/hydration";
import { recordLayoutShifts, scrollThrough } from "../support/layout-shifts";
import { expectNoHorizontalScroll } from "../support/layout";
import { straightQuotes } from "../support/quotes";
import { ARTICLE_ROUTES } from "../support/routes";
import { NOT_FOUND_SCREENS, open, SCREENS, type Screen } from "../support/screens";
import { expectStructure } from "../support/structure";
import { smallTargets } from "../support/targets";
import {
  expectFooter,
  expectLinksResolve,
  expectNoFalseClaims,
  expectNoPhotos,
  expectNothingStored,
  recordThirdPartyRequests,
} from "./screen-checks";

/** Not checked by axe: its hundreds of cards take seconds, and another state has the same elements. */
const LARGEST_STATE = { name: "the largest state", path: "/state/California", heading: "Escorts in California" };

/** All kinds of screens. Their layout and disclosures are the same in every article and not-found screen. */
const KINDS: readonly Screen[] = [...SCREENS, LARGEST_STATE];

const EXISTING: readonly Screen[] = [
  ...KINDS,
  ...ARTICLE_ROUTES.filter(({ path }) => SCREENS.every((screen) => screen.path !== path)).map(({ path, heading }) => ({
    name: path,
    path,
    heading,
  })),
];

test.describe("with a mouse, at 1280 px", () => {
  test.use({ viewport: { width: 1280, height: 720 }, reducedMotion: "no-preference" });

  for (const screen of [...EXISTING, ...NOT_FOUND_SCREENS]) {
    test(`${screen.name} passes all checks`, async ({ page, site, browserErrors }) => {
      const shifts = await recordLayoutShifts(page);
      const thirdParties = recordThirdPartyRequests(page, site.url);
      const menu = page.getByRole("banner").getByText("Menu", { exact: true });
      await open(page, screen);
      await waitForHydration(page);
      if (NOT_FOUND_SCREENS.includes(screen)) await expectHttpError(browserErrors, 404);

      // Articles and not-found screens have the colors of the other screens.
      const colorSchemes = KINDS.includes(screen) ? (["light", "dark"] as const) : (["light"] as const);
      const axeChecks = colorSchemes.map((colorScheme): Check => [
        `axe finds no violations, ${colorScheme}`,
        async () => {
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          await expectAccessible(page, { colorsOnly: colorScheme === "dark" });
        },
      ]);
      const forcedColorsCheck: Check = ["forced colors keep edges and the focus ring", () => expectEdges(page)];
      const menuChecks = (["dark", "light"] as const).map((colorScheme): Check => [
        `axe finds no violations with the menu open, ${colorScheme}`,
        async () => {
          if ((await menu.count()) === 0) return;
          await page.setViewportSize({ width: 700, height: 720 });
          await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
          const panel = page.getByRole("navigation", { name: "Main" });
          if (await panel.isHidden()) await menu.click();
          await expect(panel).toBeVisible();
          await expectAccessible(page, { selector: "header", colorsOnly: colorScheme === "dark" });
        },
      ]);
      const widthChecks = [320, 768, 1280].map((width): Check => [
        `nothing overflows at ${String(width)} px`,
        async () => {
          await page.setViewportSize({ width, height: 800 });
          await expectNoHorizontalScroll(page);
        },
      ]);

      await runChecks([
        [
          "layout does not shift during load, hydration and scrolling",
          async () => {
            await waitForPaint(page);
            if (KINDS.includes(screen)) await scrollThrough(page);
            expect(await shifts()).toEqual([]);
          },
        ],
        ["language, landmarks and headings are in order", () => expectStructure(page, screen)],
        [
          "quotation marks and apostrophes are typographic",
          async () => {
            expect(await straightQuotes(page)).toEqual([]);
          },
        ],
        [
          "targets are at least 24 px high and wide",
          async () => {
            expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(false);
            expect(await smallTargets(page, 24)).toEqual([]);
          },
        ],
        ["no claim lacks evidence", () => expectNoFalseClaims(page)],
        ["no pictures besides sample art", () => expectNoPhotos(page, screen)],
        ["links resolve", () => expectLinksResolve(page)],
        ...(screen === LARGEST_STATE ? [] : axeChecks),
        ...(SCREENS.includes(screen) ? menuChecks : []),
        ...(KINDS.includes(screen) ? [forcedColorsCheck] : []),
        ["the footer has its links, and its button opens the dialog", () => expectFooter(page)],
        ["no cookies or storage besides the ad list", () => expectNothingStored(page, screen)],
        [
          "no third-party requests",
          () => {
            expect(thirdParties).toEqual([]);
          },
        ],
        ...widthChecks,
        [
          "nothing overflows with text at 200%",
          async () => {
            await page.setViewportSize({ width: 640, height: 800 });
            // Browsers enlarge text by changing the root font size.
            await page.evaluate(() => {
              document.documentElement.style.fontSize = "32px";
            });
            await expectNoHorizontalScroll(page);
          },
        ],
      ]);
    });
  }
});

test.describe("with a finger, at 320 px", () => {
  test.use({ viewport: { width: 320, height: 720 }, hasTouch: true, isMobile: true, reducedMotion: "no-preference" });

  // Articles differ only in their text.
  for (const screen of process.env.SOAK ? EXISTING : KINDS) {
    test(`${screen.name} passes all touch checks`, async ({ page }) => {
      const shifts = await recordLayoutShifts(page);
      await open(page, screen);
      await waitForHydration(page);
      await runChecks([
        [
          "layout does not shift during load, hydration and scrolling",
          async () => {
            await waitForPaint(page);
            await scrollThrough(page);
            expect(await shifts()).toEqual([]);
          },
        ],
        [
          "targets are at least 44 px high and wide",
          async () => {
            expect(await page.evaluate(() => matchMedia("(pointer: coarse)").matches)).toBe(true);
            expect(await smallTargets(page, 44)).toEqual([]);
          },
        ],
        [
          // After a tap, browsers apply :hover styles to the tapped element.
          "no :hover rules apply",
          async () => {
            expect(await hoverRules(page)).toEqual([]);
          },
        ],
        [
          "axe finds no violations with all disclosures open",
          async () => {
            if (!SCREENS.includes(screen)) return;
            await page.emulateMedia({ reducedMotion: "reduce" });
            for (const summary of await page.getByRole("main").locator("details > summary").all())
              await summary.click();
            await expectAccessible(page);
          },
        ],
      ]);
    });
  }
});
