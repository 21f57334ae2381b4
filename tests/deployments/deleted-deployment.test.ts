import { expect, type Page } from "@playwright/test";

import { expectErrorsAbout, expectFallback } from "../isolation/expectations";
import { findFile, PARTS } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow, open, SCREENS } from "../support/screens";
import { expectFormValues, fillForm, joinDialog, openPage } from "../support/signup";
import { deleteDeployment, serveNotFound, recordDocuments, recordFallbacks } from "./stub-responses";

// The deployment stays live. Only the stubbed responses say it was deleted, so a reload returns the same one.
const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };
const ABOUT = "/about-escort-babylon";
const GONE = "/_page/";
// The shell's error message.
const DELETED = "the deployment of this tab is gone";
const MISSING = process.env.SOAK ? PARTS : (["script"] as const);

const unavailable = (page: Page) => page.getByRole("dialog", { name: "This is unavailable right now" });
const formOf = (page: Page) =>
  page
    .getByRole("main")
    .locator("form")
    .filter({ has: page.getByLabel("Email") });

async function scrollDown(page: Page, top: number): Promise<void> {
  await page.evaluate((y) => {
    scrollTo({ top: y, behavior: "instant" });
  }, top);
  await page.waitForFunction((y) => (history.state as { scrollTop?: number } | null)?.scrollTop === y, top);
}

/** Follows a link and waits for its full page load. */
async function followWithReload(page: Page, path: string): Promise<void> {
  const loading = page.waitForEvent("load");
  await follow(page, path);
  await loading;
}

test("A tab whose deployment was deleted uses full page loads", async ({ page, context, browserErrors }) => {
  const fallbacks = await recordFallbacks(page);
  const documents = recordDocuments(page);
  await open(page, HOME);
  await scrollDown(page, 600);
  await deleteDeployment(page);
  await followWithReload(page, "/state/California");
  await expectScreen(page, "Escorts in California");
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  const state = await page.evaluate(() => history.state as unknown);
  expect(state).toHaveProperty("reloadedDeployments", [expect.any(String)]);
  expect(await page.evaluate(() => sessionStorage.length + localStorage.length)).toBe(0);
  expect(await context.cookies()).toEqual([]);

  await test.step("Back restores the position", async () => {
    await page.goBack();
    await expectScreen(page, HOME.heading);
    await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(600);
  });

  await test.step("It does so again if the live deployment seems deleted", async () => {
    documents.length = 0;
    for (const { path, heading } of SCREENS.slice(6, 8)) {
      await followWithReload(page, path);
      await expectScreen(page, heading);
    }
    expect(documents).toEqual(["/terms", "/privacy"]);
  });

  await test.step("A sign-up leads to /success", async () => {
    await openPage(page, "/signup");
    await fillForm(formOf(page));
    await formOf(page).getByRole("button", { name: "Continue" }).click();
    await expectScreen(page, "You’re signed up");
  });
  expect(fallbacks).toEqual([]);
  expectErrorsAbout(browserErrors, GONE);
});

for (const part of MISSING) {
  test(`A page of a deleted deployment reloads once if its ${part} is missing`, async ({
    page,
    site,
    browserErrors,
  }) => {
    const fallbacks = await recordFallbacks(page);
    const documents = recordDocuments(page);
    const { path } = await findFile(site, "articles", ABOUT, part);
    await deleteDeployment(page);
    await serveNotFound(page, path, { documents: 2 });
    await page.goto(ABOUT);
    await expectScreen(page, "Guides");
    expect(documents.splice(0)).toEqual([ABOUT, ABOUT]);
    expect(fallbacks).toEqual([]);

    await test.step("It stays missing", async () => {
      await serveNotFound(page, path);
      await page.goto(`${ABOUT}?again`);
      await expectFallback(page);
      expect(documents).toEqual([ABOUT, ABOUT]);
      // From here on, only a retry loads a document.
      await page.unroute(`**${path}`);
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, "Guides");
    });
    expectErrorsAbout(browserErrors, path, GONE);
  });

  test(`A dialog of a deleted deployment opens after a reload if its ${part} is missing`, async ({
    page,
    site,
    browserErrors,
  }) => {
    const fallbacks = await recordFallbacks(page);
    const documents = recordDocuments(page);
    const { path } = await findFile(site, "signup", "./join", part);
    await deleteDeployment(page);
    await serveNotFound(page, path, { documents: 2 });
    await openPage(page, ABOUT);
    expect(documents).toEqual([ABOUT]);
    await page.getByRole("button", { name: "Join Now" }).click();
    await expect(joinDialog(page)).toBeVisible();
    expect(documents.splice(0)).toEqual([ABOUT, ABOUT]);
    expect(fallbacks).toEqual([]);
    // It opens once.
    await page.keyboard.press("Escape");
    await page.reload();
    await expectScreen(page, "Guides");
    await expect(page.getByRole("dialog")).toHaveCount(0);

    await test.step("It stays missing: one reload, also for another click", async () => {
      documents.length = 0;
      await serveNotFound(page, path);
      await openPage(page, `${ABOUT}?again`);
      await page.getByRole("button", { name: "Join Now" }).click();
      await expect(unavailable(page)).toBeVisible();
      await unavailable(page).getByRole("button", { name: "Close" }).click();
      await page.getByRole("button", { name: "Join Now" }).click();
      await expect(unavailable(page)).toBeVisible();
      expect(documents).toEqual([ABOUT, ABOUT]);
    });

    await test.step("It stays missing: no reload while a form has input", async () => {
      await openPage(page, "/signup");
      documents.length = 0;
      const typed = await fillForm(formOf(page));
      await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
      await expect(unavailable(page)).toBeVisible();
      await expectFormValues(formOf(page), typed);
      expect(documents).toEqual([]);
    });
    expectErrorsAbout(browserErrors, path, GONE, DELETED);
  });
}
