import { expect, type Page } from "@playwright/test";

import { expectErrorsAbout, expectFallback, FALLBACK } from "../isolation/expectations";
import { findFile, PARTS } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow, open, SCREENS } from "../support/screens";
import { expectFormValues, fillForm, joinDialog, openDialog, openPage } from "../support/signup";
import { deleteDeployment, serveNotFound, recordDocuments, recordFallbacks } from "./stub-responses";

// The deployment stays live. Only the stubbed responses say it was deleted, so a reload returns the same one.
const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };
const ABOUT = "/about-escort-babylon";
const GONE = "/_page/";
// The shell's error message.
const DELETED = "the deployment of this tab is gone";

const unavailable = (page: Page) => page.getByRole("dialog", { name: "Sign-up is unavailable" });

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

test.describe("A tab whose deployment was deleted", () => {
  test("follows a link by full page load, without a fallback", async ({ page, browserErrors }) => {
    const fallbacks = await recordFallbacks(page);
    const documents = recordDocuments(page);
    await open(page, HOME);
    await deleteDeployment(page);
    await followWithReload(page, "/terms");
    await expectScreen(page, "Terms of use");
    expect(documents).toEqual(["/", "/terms"]);
    expect(fallbacks).toEqual([]);
    expectErrorsAbout(browserErrors, GONE);
  });

  test("uses full page loads if the live deployment seems deleted", async ({ page, browserErrors }) => {
    const fallbacks = await recordFallbacks(page);
    const documents = recordDocuments(page);
    await open(page, HOME);
    await deleteDeployment(page);
    for (const { path, heading } of SCREENS.slice(1, 5)) {
      await followWithReload(page, path);
      await expectScreen(page, heading);
    }
    expect(documents).toEqual(SCREENS.slice(0, 5).map(({ path }) => path));
    expect(fallbacks).toEqual([]);
    expectErrorsAbout(browserErrors, GONE);
  });

  test("starts at the top, and restores the position on back", async ({ page, browserErrors }) => {
    await open(page, HOME);
    await scrollDown(page, 600);
    await deleteDeployment(page);
    await followWithReload(page, "/state/California");
    await expectScreen(page, "Escorts in California");
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await expectScreen(page, HOME.heading);
    await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(600);
    expectErrorsAbout(browserErrors, GONE);
  });

  test("does not load a page that the visitor navigated away from", async ({ page, browserErrors }) => {
    await open(page, HOME);
    const documents = recordDocuments(page);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/_page/**", async (route) => {
      await held;
      await route.fulfill({ status: 410 });
    });
    const requesting = page.waitForRequest("**/_page/**");
    await follow(page, "/terms");
    await requesting;
    await page.goBack();
    const answered = page.waitForResponse("**/_page/**");
    answer();
    await answered;
    await follow(page, "/#faq");
    await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
    await expectScreen(page, HOME.heading);
    expect(documents).toEqual([]);
    expectErrorsAbout(browserErrors, GONE);
  });

  for (const part of PARTS) {
    test(`reloads if the ${part} of its page is missing`, async ({ page, site, browserErrors }) => {
      const fallbacks = await recordFallbacks(page);
      const documents = recordDocuments(page);
      const { path } = await findFile(site, "articles", ABOUT, part);
      await deleteDeployment(page);
      await serveNotFound(page, path, { documents: 2 });
      await page.goto(ABOUT);
      await expectScreen(page, "About Colonnade Directory");
      expect(documents).toEqual([ABOUT, ABOUT]);
      expect(fallbacks).toEqual([]);
      expectErrorsAbout(browserErrors, path, GONE);
    });

    test(`reloads only once if the ${part} stays missing`, async ({ page, site, browserErrors }) => {
      const documents = recordDocuments(page);
      const { path } = await findFile(site, "articles", ABOUT, part);
      await deleteDeployment(page);
      await serveNotFound(page, path);
      await page.goto(ABOUT);
      await expectFallback(page);
      expect(documents).toEqual([ABOUT, ABOUT]);

      // From here on, only a retry loads a document.
      await page.unroute(`**${path}`);
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, "About Colonnade Directory");
      expectErrorsAbout(browserErrors, path, GONE);
    });
  }

  test("does not reload while a form has input", async ({ page, site, browserErrors }) => {
    const { path } = await findFile(site, "articles", ABOUT, "script");
    let fail = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route(`**${path}`, async (route) => {
      await held;
      await route.fulfill({ status: 404, body: "" });
    });
    await deleteDeployment(page);
    const documents = recordDocuments(page);
    await page.goto(ABOUT, { waitUntil: "commit" });
    const dialog = await openDialog(page);
    const typed = await fillForm(dialog);
    fail();
    await expect(page.locator("main h1")).toHaveText(FALLBACK);
    await expectFormValues(dialog, typed);
    expect(documents).toEqual([ABOUT]);

    // Once the form is closed, a retry loads a document.
    await page.keyboard.press("Escape");
    await page.unroute(`**${path}`);
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, "About Colonnade Directory");
    expectErrorsAbout(browserErrors, path, GONE);
  });

  test("leads to /success after a sign-up", async ({ page, browserErrors }) => {
    const fallbacks = await recordFallbacks(page);
    await openPage(page, "/signup");
    await deleteDeployment(page);
    const form = page
      .getByRole("main")
      .locator("form")
      .filter({ has: page.getByLabel("Email") });
    await fillForm(form);
    await form.getByRole("button", { name: "Continue" }).click();
    await expectScreen(page, "You’re signed up");
    expect(fallbacks).toEqual([]);
    expectErrorsAbout(browserErrors, GONE);
  });
});

test("A reload is remembered only in the history entry", async ({ page, context, browserErrors }) => {
  await open(page, HOME);
  await deleteDeployment(page);
  await followWithReload(page, "/terms");
  await expectScreen(page, "Terms of use");
  const kept = await page.evaluate(() => ({
    history: (history.state as { reloadedDeployments?: unknown }).reloadedDeployments,
    storage: sessionStorage.length + localStorage.length,
  }));
  expect(kept).toEqual({ history: [expect.any(Number)], storage: 0 });
  expect(await context.cookies()).toEqual([]);
  expectErrorsAbout(browserErrors, GONE);
});

test("A broken page of a retained deployment does not reload", async ({ page, site, browserErrors }) => {
  const documents = recordDocuments(page);
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await serveNotFound(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  expect(documents).toEqual([ABOUT]);
  expectErrorsAbout(browserErrors, path);
});

test.describe("A sign-up dialog whose deployment was deleted", () => {
  for (const part of PARTS) {
    test(`opens after a reload if its ${part} is missing`, async ({ page, site, browserErrors }) => {
      const fallbacks = await recordFallbacks(page);
      const documents = recordDocuments(page);
      const { path } = await findFile(site, "signup", "join", part);
      await deleteDeployment(page);
      await serveNotFound(page, path, { documents: 2 });
      await openPage(page, ABOUT);
      expect(documents).toEqual([ABOUT]);
      await page.getByRole("button", { name: "Join Now" }).click();
      await expect(joinDialog(page)).toBeVisible();
      expect(documents).toEqual([ABOUT, ABOUT]);
      expect(fallbacks).toEqual([]);

      // It opens once.
      await page.keyboard.press("Escape");
      await page.reload();
      await expectScreen(page, "About Colonnade Directory");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      expectErrorsAbout(browserErrors, path, GONE);
    });
  }

  test("is unavailable if its script stays missing, after one reload", async ({ page, site, browserErrors }) => {
    const documents = recordDocuments(page);
    const { path } = await findFile(site, "signup", "join", "script");
    await deleteDeployment(page);
    await serveNotFound(page, path);
    await openPage(page, ABOUT);
    await page.getByRole("button", { name: "Join Now" }).click();
    await expect(unavailable(page)).toBeVisible();
    expect(documents).toEqual([ABOUT, ABOUT]);
    await unavailable(page).getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Join Now" }).click();
    await expect(unavailable(page)).toBeVisible();
    expect(documents).toEqual([ABOUT, ABOUT]);
    expectErrorsAbout(browserErrors, path, GONE, DELETED);
  });

  test("does not reload while the page's form has input", async ({ page, site, browserErrors }) => {
    const documents = recordDocuments(page);
    const { path } = await findFile(site, "signup", "join", "script");
    await deleteDeployment(page);
    await serveNotFound(page, path);
    await openPage(page, "/signup");
    const form = page
      .getByRole("main")
      .locator("form")
      .filter({ has: page.getByLabel("Email") });
    const typed = await fillForm(form);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(unavailable(page)).toBeVisible();
    await expectFormValues(form, typed);
    expect(documents).toEqual(["/signup"]);
    expectErrorsAbout(browserErrors, path, GONE, DELETED);
  });
});
