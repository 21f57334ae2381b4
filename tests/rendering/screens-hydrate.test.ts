// All checks of server-rendered screens before and after hydration. Each screen is loaded once.
import type { Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { expectHead, readHead } from "../support/head";
import { expectHttpError } from "../support/http-errors";
import { countAdPlaceholders, countElements, holdRequests, SHELL, waitForHydration } from "../support/hydration";
import { ARTICLE_ROUTES, ORIGIN, ROUTES, type Route } from "../support/routes";
import { NOT_FOUND_SCREENS, SCREENS, type Screen } from "../support/screens";
import { openMarked, recordScripts, scriptsNamedIn } from "./before-hydration";

const OTHER_SCREENS = SCREENS.filter(({ path }) =>
  [...ROUTES, ...ARTICLE_ROUTES].every((route) => route.path !== path),
);

// One path of each page pattern. development-build.test.ts hydrates the other screens, too.
const SCREENS_TO_HYDRATE: readonly (Route | Screen)[] = process.env.SOAK
  ? [...ROUTES, ...ARTICLE_ROUTES, ...OTHER_SCREENS, ...NOT_FOUND_SCREENS]
  : [...ROUTES, ...ARTICLE_ROUTES.slice(0, 1), ...NOT_FOUND_SCREENS];

/** The head after hydration: absolute, percent-encoded canonical link from the configured origin. */
async function expectRouteHead(page: Page, { path, canonical = path, title, robots }: Route): Promise<void> {
  await expectHead(page, { title, robots, canonical: `${ORIGIN}${canonical}` });
  expect((await readHead(page)).description).toMatch(/\w.{20}/);
}

for (const screen of SCREENS_TO_HYDRATE) {
  const { path, heading } = screen;

  test(`${path} hydrates in place`, async ({ page, browserErrors }) => {
    // Without idle time, the sign-up dialog is not prefetched.
    await page.addInitScript("globalThis.requestIdleCallback = () => 0");
    const scripts = recordScripts(page);
    const startShell = await holdRequests(page, SHELL);
    const { response, marked } = await openMarked(page, { path, heading });
    const placeholders = await countAdPlaceholders(page);
    const isMissing = response?.status() === 404;
    if (isMissing) await expectHttpError(browserErrors, 404);

    // Hydration preserves every other element, and site/every-screen runs axe after it.
    if (placeholders > 0) await runChecks([["axe finds no violations before hydration", () => expectAccessible(page)]]);
    startShell();
    await waitForHydration(page);

    const checks: Check[] = [
      [
        "hydration preserves every element",
        async () => {
          const counted = await countElements(page);
          expect(counted.preserved).toBe(marked - placeholders);
          if (isMissing) expect(counted.added).toBe(0);
          await expect(page.getByText("Loading ads...")).toHaveCount(0);
        },
      ],
    ];
    if (!isMissing)
      checks.push([
        "the document names every script of the page, and no other",
        async () => {
          await page.waitForLoadState("networkidle");
          const named = scriptsNamedIn((await response?.text()) ?? "");
          expect(named.length).toBeGreaterThan(4);
          expect([...scripts].sort()).toEqual(named.sort());
        },
      ]);
    if ("title" in screen) checks.push(["the head is the route's", () => expectRouteHead(page, screen)]);
    await runChecks(checks);
  });
}
