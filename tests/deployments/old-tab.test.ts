import { expect, type Page } from "@playwright/test";

import { expectComplaintsAbout, expectFallback, FALLBACK } from "../isolation/expectations";
import { findFile, PARTS } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow, open, SCREENS } from "../support/screens";
import { expectTyped, fillForm, joinDialog, openDialog, visit } from "../support/signup";
import { forgetDeployment, lose, watchDocuments, watchFailures } from "./stubs";

// The gateway here keeps its deployment; that it is gone is only said, and the same one comes anew.
const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you are reading." };
const ABOUT = "/about-escort-babylon";
const GONE = "/_page/";
// What the shell says where it shows that.
const NOT_KEPT = "no longer keeps the deployment";

const unavailable = (page: Page) => page.getByRole("dialog", { name: "Sign-up is unavailable" });

async function scrollDown(page: Page, top: number): Promise<void> {
  await page.evaluate((y) => {
    scrollTo({ top: y, behavior: "instant" });
  }, top);
  await page.waitForFunction((y) => (history.state as { scrollTop?: number } | null)?.scrollTop === y, top);
}

/** Follows a link and waits for the new document that it leads to by way of the old one. */
async function followAnew(page: Page, path: string): Promise<void> {
  const loading = page.waitForEvent("load");
  await follow(page, path);
  await loading;
}

test.describe("a tab whose deployment is gone", () => {
  test("loads the page that a link leads to anew, and no failure is seen", async ({ page, complaints }) => {
    const failures = await watchFailures(page);
    const documents = watchDocuments(page);
    await open(page, HOME);
    await forgetDeployment(page);
    await followAnew(page, "/terms");
    await expectScreen(page, "Terms of use");
    expect(documents).toEqual(["/", "/terms"]);
    expect(failures).toEqual([]);
    expectComplaintsAbout(complaints, GONE);
  });

  test("works on by whole documents with a gateway that says so of its own live deployment", async ({
    page,
    complaints,
  }) => {
    const failures = await watchFailures(page);
    const documents = watchDocuments(page);
    await open(page, HOME);
    await forgetDeployment(page);
    for (const { path, heading } of SCREENS.slice(1, 5)) {
      await followAnew(page, path);
      await expectScreen(page, heading);
    }
    expect(documents).toEqual(SCREENS.slice(0, 5).map(({ path }) => path));
    expect(failures).toEqual([]);
    expectComplaintsAbout(complaints, GONE);
  });

  test("keeps its place: the new page starts at its top, and the way back leads to where it was", async ({
    page,
    complaints,
  }) => {
    await open(page, HOME);
    await scrollDown(page, 600);
    await forgetDeployment(page);
    await followAnew(page, "/state/California");
    await expectScreen(page, "Escorts in California");
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    await page.goBack();
    await expectScreen(page, HOME.heading);
    await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(600);
    expectComplaintsAbout(complaints, GONE);
  });

  test("goes nowhere once the visitor has gone back", async ({ page, complaints }) => {
    await open(page, HOME);
    const documents = watchDocuments(page);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/_page/**", async (route) => {
      await held;
      await route.fulfill({ status: 410 });
    });
    const asking = page.waitForRequest("**/_page/**");
    await follow(page, "/terms");
    await asking;
    await page.goBack();
    const answered = page.waitForResponse("**/_page/**");
    answer();
    await answered;
    await follow(page, "/#faq");
    await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
    await expectScreen(page, HOME.heading);
    expect(documents).toEqual([]);
    expectComplaintsAbout(complaints, GONE);
  });

  for (const part of PARTS) {
    test(`loads anew where the ${part} of its page went with it`, async ({ page, site, complaints }) => {
      const failures = await watchFailures(page);
      const documents = watchDocuments(page);
      const { path } = await findFile(site, "articles", ABOUT, part);
      await forgetDeployment(page);
      await lose(page, path, { documents: 2 });
      await page.goto(ABOUT);
      await expectScreen(page, "About Colonnade Directory");
      expect(documents).toEqual([ABOUT, ABOUT]);
      expect(failures).toEqual([]);
      expectComplaintsAbout(complaints, path, GONE);
    });

    test(`loads anew once and no more where the ${part} stays missing`, async ({ page, site, complaints }) => {
      const documents = watchDocuments(page);
      const { path } = await findFile(site, "articles", ABOUT, part);
      await forgetDeployment(page);
      await lose(page, path);
      await page.goto(ABOUT);
      await expectFallback(page);
      expect(documents).toEqual([ABOUT, ABOUT]);

      // From here on a document is loaded only for a visitor who asks for another attempt.
      await page.unroute(`**${path}`);
      await page.getByRole("button", { name: "Try again" }).click();
      await expectScreen(page, "About Colonnade Directory");
      expectComplaintsAbout(complaints, path, GONE);
    });
  }

  test("does not reload typed text away", async ({ page, site, complaints }) => {
    const { path } = await findFile(site, "articles", ABOUT, "script");
    let fail = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      fail = resolve;
    });
    await page.route(`**${path}`, async (route) => {
      await held;
      await route.fulfill({ status: 404, body: "" });
    });
    await forgetDeployment(page);
    const documents = watchDocuments(page);
    await page.goto(ABOUT, { waitUntil: "commit" });
    const dialog = await openDialog(page);
    const typed = await fillForm(dialog);
    fail();
    await expect(page.locator("main h1")).toHaveText(FALLBACK);
    await expectTyped(dialog, typed);
    expect(documents).toEqual([ABOUT]);

    // Without it, another attempt brings the new document.
    await page.keyboard.press("Escape");
    await page.unroute(`**${path}`);
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, "About Colonnade Directory");
    expectComplaintsAbout(complaints, path, GONE);
  });

  test("takes a visitor who has signed up on to the page that says so", async ({ page, complaints }) => {
    const failures = await watchFailures(page);
    await visit(page, "/signup");
    await forgetDeployment(page);
    const form = page
      .getByRole("main")
      .locator("form")
      .filter({ has: page.getByLabel("E-mail") });
    await fillForm(form);
    await form.getByRole("button", { name: "Continue" }).click();
    await expectScreen(page, "Thank you for signing up");
    expect(failures).toEqual([]);
    expectComplaintsAbout(complaints, GONE);
  });
});

test("a tab that is loaded anew remembers that in its history alone", async ({ page, context, complaints }) => {
  await open(page, HOME);
  await forgetDeployment(page);
  await followAnew(page, "/terms");
  await expectScreen(page, "Terms of use");
  const kept = await page.evaluate(() => ({
    history: (history.state as { renewed?: unknown }).renewed,
    storage: sessionStorage.length + localStorage.length,
  }));
  expect(kept).toEqual({ history: [expect.any(Number)], storage: 0 });
  expect(await context.cookies()).toEqual([]);
  expectComplaintsAbout(complaints, GONE);
});

test("a page that is broken in a deployment that is kept is not loaded anew", async ({ page, site, complaints }) => {
  const documents = watchDocuments(page);
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await lose(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  expect(documents).toEqual([ABOUT]);
  expectComplaintsAbout(complaints, path);
});

test.describe("a join dialog that went with the tab's deployment", () => {
  for (const part of PARTS) {
    test(`opens by itself in a new document when its ${part} is missing`, async ({ page, site, complaints }) => {
      const failures = await watchFailures(page);
      const documents = watchDocuments(page);
      const { path } = await findFile(site, "signup", "join", part);
      await forgetDeployment(page);
      await lose(page, path, { documents: 2 });
      await visit(page, ABOUT);
      expect(documents).toEqual([ABOUT]);
      await page.getByRole("button", { name: "Join Now" }).click();
      await expect(joinDialog(page)).toBeVisible();
      expect(documents).toEqual([ABOUT, ABOUT]);
      expect(failures).toEqual([]);

      // It was asked for once.
      await page.keyboard.press("Escape");
      await page.reload();
      await expectScreen(page, "About Colonnade Directory");
      await expect(page.getByRole("dialog")).toHaveCount(0);
      expectComplaintsAbout(complaints, path, GONE);
    });
  }

  test("is unavailable where it stays missing, and the page is loaded anew once", async ({
    page,
    site,
    complaints,
  }) => {
    const documents = watchDocuments(page);
    const { path } = await findFile(site, "signup", "join", "script");
    await forgetDeployment(page);
    await lose(page, path);
    await visit(page, ABOUT);
    await page.getByRole("button", { name: "Join Now" }).click();
    await expect(unavailable(page)).toBeVisible();
    expect(documents).toEqual([ABOUT, ABOUT]);
    await unavailable(page).getByRole("button", { name: "Close" }).click();
    await page.getByRole("button", { name: "Join Now" }).click();
    await expect(unavailable(page)).toBeVisible();
    expect(documents).toEqual([ABOUT, ABOUT]);
    expectComplaintsAbout(complaints, path, GONE, NOT_KEPT);
  });

  test("does not take along what was typed on the page", async ({ page, site, complaints }) => {
    const documents = watchDocuments(page);
    const { path } = await findFile(site, "signup", "join", "script");
    await forgetDeployment(page);
    await lose(page, path);
    await visit(page, "/signup");
    const form = page
      .getByRole("main")
      .locator("form")
      .filter({ has: page.getByLabel("E-mail") });
    const typed = await fillForm(form);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(unavailable(page)).toBeVisible();
    await expectTyped(form, typed);
    expect(documents).toEqual(["/signup"]);
    expectComplaintsAbout(complaints, path, GONE, NOT_KEPT);
  });
});
