// React's development build warns about hydration mismatches and other mistakes.
import type { Page } from "@playwright/test";

import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/development-shell";
import { expectHttpError } from "../support/http-errors";
import {
  countAdPlaceholders,
  countElements,
  holdRequests,
  markElements,
  SHELL,
  waitForHydration,
} from "../support/hydration";
import { ARTICLES, expectScreen, follow, NOT_FOUND_SCREENS, SCREENS, type Screen } from "../support/screens";

// All tests share one worker, because each worker builds the shell.
test.describe.configure({ mode: "default" });

// Chromium warns about preloads that are unused seconds after load, which also happens on slow machines.
const UNUSED_PRELOAD = "was preloaded using link preload but not used";

/** Records console warnings. Errors already fail the test. */
function recordWarnings(page: Page): string[] {
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning" && !message.text().includes(UNUSED_PRELOAD)) warnings.push(message.text());
  });
  return warnings;
}

test("The shell is a build that reports hydration mismatches", async ({ page, browserErrors }) => {
  const startShell = await holdRequests(page, SHELL);
  await page.goto("/terms", { waitUntil: "commit" });
  await expectScreen(page, "Terms of use");
  await page.getByRole("contentinfo").evaluate((footer) => {
    footer.append("words that the server did not send");
  });
  startShell();
  await waitForHydration(page);
  expect(browserErrors.errors.join()).toMatch(/hydrat/i);
  browserErrors.errors.length = 0;
});

test("Every screen and the dialog hydrate without warnings", async ({ page, browserErrors }) => {
  test.setTimeout(120_000);
  const warnings = recordWarnings(page);

  const expectSilentHydration = async (screen: Screen): Promise<void> => {
    await page.unrouteAll();
    const startShell = await holdRequests(page, SHELL);
    await page.goto(screen.path, { waitUntil: "commit" });
    await expectScreen(page, screen.heading);
    await expect(page.getByRole("contentinfo")).toBeVisible();
    const preserved = (await markElements(page)) - (await countAdPlaceholders(page));
    startShell();
    await waitForHydration(page);
    expect((await countElements(page)).preserved).toBe(preserved);
    if (screen === SCREENS[0]) {
      await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
      await expect(page.getByRole("dialog", { name: "Create your account" })).toBeVisible();
    }
    expect(warnings.splice(0)).toEqual([]);
    expect(browserErrors.errors.splice(0)).toEqual([]);
  };

  await runChecks(SCREENS.map((screen): Check => [screen.name, () => expectSilentHydration(screen)]));
});

test("Articles and not-found screens hydrate without warnings", async ({ page, browserErrors }) => {
  const warnings = recordWarnings(page);
  for (const path of ARTICLES.map((article) => `/about-escort-babylon/${article}`)) {
    await page.goto(path);
    await waitForHydration(page);
    expect.soft(warnings.splice(0), path).toEqual([]);
  }
  expect(browserErrors.errors).toEqual([]);
  for (const { path, heading } of NOT_FOUND_SCREENS) {
    await page.goto(path);
    await expectScreen(page, heading);
    await waitForHydration(page);
    expect.soft(warnings.splice(0), path).toEqual([]);
  }
  await expectHttpError(browserErrors, 404);
});

test("Client-side navigation causes no warnings", async ({ page }) => {
  const warnings = recordWarnings(page);
  await page.goto("/");
  await waitForHydration(page);
  for (const { path, heading } of SCREENS.slice(1)) {
    await follow(page, path);
    await expectScreen(page, heading);
  }
  expect(warnings).toEqual([]);
});
