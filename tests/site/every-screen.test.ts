// All checks that apply to every screen. Each screen is loaded once per device, because loading costs more than checking.
import { expectAccessible } from "../support/axe";
import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { expectEdges } from "../support/forced-colors";
import { expectHead } from "../support/head";
import { hoverRules } from "../support/hover";
import { expectHttpError } from "../support/http-errors";
import {
  countElements,
  holdRequests,
  markParsedElements,
  SHELL,
  waitForHydration,
  waitForPaint,
} from "../support/hydration";
import { recordLayoutShifts, scrollThrough } from "../support/layout-shifts";
import { expectNoHorizontalScroll } from "../support/layout";
import { straightQuotes } from "../support/quotes";
import { ARTICLE_ROUTES, ORIGIN, ROUTES } from "../support/routes";
import { expectScreen, NOT_FOUND_SCREENS, SCREENS, type Screen } from "../support/screens";
import { expectStructure } from "../support/structure";
import { smallTargets } from "../support/targets";
import { recordScripts, scriptsNamedIn } from "../rendering/before-hydration";
import {
  expectFooter,
  expectLinksResolve,
  expectLongWordsFit,
  expectNoFalseClaims,
  expectNoPhotos,
  expectNothingStored,
  recordThirdPartyRequests,
} from "./screen-checks";

const LARGEST_STATE = { name: "the largest state", path: "/state/California", heading: "Escorts in California" };

/** Screens that differ from the others only in their text or header, which other tests check. Soak runs load them too. */
const OTHERS: readonly Screen[] = [
  ...SCREENS.filter(({ path }) => path === "/state/Oklahoma"),
  ...ARTICLE_ROUTES.filter(({ path }) => SCREENS.every((screen) => screen.path !== path)).map(({ path, heading }) => ({
    name: path,
    path,
    heading,
  })),
];
const SOAK = process.env.SOAK !== undefined;
/** Screens whose elements another screen has too, so their colors and targets are those of that screen. */
const ALIKE = ["/state/New%20York", "/privacy"];
const MISSING = NOT_FOUND_SCREENS.filter(({ name }) => SOAK || ["no page", "no ad"].includes(name));
const KINDS = [...SCREENS.filter((screen) => !OTHERS.includes(screen)), ...(SOAK ? OTHERS : [])];

test.describe("with a mouse, at 1280 px", () => {
  test.use({ viewport: { width: 1280, height: 720 }, reducedMotion: "no-preference" });

  for (const screen of [...KINDS, ...MISSING]) {
    test(`${screen.name} passes all checks`, async ({ page, site, browserErrors }) => {
      // Without idle time, the sign-up dialog is not prefetched.
      await page.addInitScript("globalThis.requestIdleCallback = () => 0");
      const isMissing = MISSING.includes(screen);
      const route = [...ROUTES, ...ARTICLE_ROUTES].find(({ path }) => path === screen.path);
      const shifts = await recordLayoutShifts(page);
      const thirdParties = recordThirdPartyRequests(page, site.url);
      const scripts = recordScripts(page);
      const readMarked = await markParsedElements(page);
      const response = await page.goto(screen.path);
      await expectScreen(page, screen.heading);
      await waitForHydration(page);
      if (isMissing) await expectHttpError(browserErrors, 404);

      const checkColors = async (colorScheme: "light" | "dark", selector?: string): Promise<void> => {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        await expectAccessible(page, { ...(selector && { selector }), colorsOnly: colorScheme === "dark" });
      };
      const menuCheck: Check = [
        "axe finds no violations with the menu open",
        async () => {
          await page.setViewportSize({ width: 700, height: 720 });
          await page.getByRole("banner").getByText("Menu", { exact: true }).click();
          await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
          for (const colorScheme of ["dark", "light"] as const) await checkColors(colorScheme, "header");
        },
      ];

      await runChecks([
        [
          "hydration preserves every element",
          async () => {
            const { marked, placeholders } = await readMarked();
            expect(marked).toBeGreaterThan(10);
            expect((await countElements(page)).preserved).toBe(marked - placeholders);
            await expect(page.getByText("Loading ads...")).toHaveCount(0);
          },
        ],
        [
          "the document names every script of the page, and no other but those of its extensions",
          async () => {
            if (isMissing) return;
            await page.waitForLoadState("networkidle");
            const named = scriptsNamedIn((await response?.text()) ?? "");
            expect(named.length).toBeGreaterThan(4);
            expect(named.filter((script) => !scripts.has(script))).toEqual([]);
            // What shows extensions loads after the page's own scripts.
            const loaded = () =>
              new Set([...scripts].filter((script) => !named.includes(script)).map((script) => script.split("/")[2]));
            const isExtended = /^\/(state|city\/[^/]+)\/[^/]+(\/ad\/\d+)?$/.test(screen.path);
            await expect.poll(() => [...loaded()].sort()).toEqual(isExtended ? ["articles", "shell"] : []);
          },
        ],
        [
          "hydration keeps the head",
          async () => {
            if (!route) return;
            const { path, canonical = path, title, robots } = route;
            await expectHead(page, { title, robots, canonical: `${ORIGIN}${canonical}` });
          },
        ],
        [
          "layout does not shift during load, hydration and scrolling",
          async () => {
            await waitForPaint(page);
            if (!isMissing) await scrollThrough(page);
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
        ["axe finds no violations", () => checkColors("light")],
        [
          "axe finds no violations of colors in the dark",
          async () => {
            if (!isMissing && !ALIKE.includes(screen.path)) await checkColors("dark");
          },
        ],
        ...(screen === SCREENS[0] ? [menuCheck] : []),
        ["forced colors keep edges and the focus ring", () => (isMissing ? undefined : expectEdges(page))],
        ["the footer has its links, and its button opens the dialog", () => expectFooter(page)],
        ["no cookies or storage besides the ad list", () => expectNothingStored(page, screen)],
        [
          "no third-party requests",
          () => {
            expect(thirdParties).toEqual([]);
          },
        ],
        [
          "nothing overflows at any width",
          async () => {
            for (const width of [320, 768, 1280]) {
              await page.setViewportSize({ width, height: 800 });
              await expectNoHorizontalScroll(page);
            }
          },
        ],
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

  // The largest state is the longest page with a list by letter.
  for (const screen of [...KINDS.filter(({ path }) => !ALIKE.includes(path)), LARGEST_STATE]) {
    test(`${screen.name} passes all touch checks`, async ({ page }) => {
      const shifts = await recordLayoutShifts(page);
      const startShell = await holdRequests(page, SHELL);
      await page.goto(screen.path, { waitUntil: "commit" });
      await expectScreen(page, screen.heading);
      // As on a slow connection.
      await waitForPaint(page);
      startShell();
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
            await page.emulateMedia({ reducedMotion: "reduce" });
            const disclosures = await page.getByRole("main").locator("details > summary").all();
            for (const summary of disclosures) await summary.click();
            if (disclosures.length > 0) await expectAccessible(page);
          },
        ],
        ["words of 50 letters break", () => expectLongWordsFit(page)],
      ]);
    });
  }
});
