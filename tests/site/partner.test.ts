import type { Locator, Page } from "@playwright/test";

import { test, expect } from "../support/own-site";
import {
  expectFailedSignups,
  expectFormValues,
  newEmail,
  openDialog,
  SIGNUP_PATH,
  signUp,
  openPage,
} from "../support/signup";

const START = new Date("2026-01-01T12:00:00Z");

/** Pauses the page's clock. */
async function pauseClock(page: Page): Promise<void> {
  await page.clock.pauseAt(new Date(START.getTime() + 3_600_000));
}

/** Opens the dialog, then pauses the clock. React needs a running clock to reveal Suspense content. */
async function openDialogPaused(page: Page, address: string): Promise<Locator> {
  await page.clock.install({ time: START });
  await openPage(page, address);
  const dialog = await openDialog(page);
  await pauseClock(page);
  return dialog;
}

test.describe("The dialog counts down to the partner", () => {
  const FAILURES = [
    { what: "answers HTML", local: "html" },
    { what: "answers broken JSON", local: "rubbish" },
    { what: "answers JSON that is not an object", local: "list" },
    { what: "drops the connection", local: "die" },
    { what: "does not answer in time", local: "stall" },
  ];

  test("when backend or gateway fail, stall or are down", async ({ page, startOwnSite, browserErrors }) => {
    const own = await startOwnSite({ signup: { total_timeout_ms: 3_000 } });
    const warnings: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "warning") warnings.push(message.text());
    });
    const dialog = await openDialogPaused(page, `${own.url}/terms`);

    const expectCountdown = async (local: string): Promise<void> => {
      const typed = await signUp(dialog, { email: newEmail(local) });
      await expect(dialog.getByText("We couldn’t reach the sign-up service")).toBeVisible();
      await expect(dialog.getByRole("timer")).toHaveText("Taking you to Example Partner in 10 seconds.");
      await expect(dialog.getByRole("alert")).toHaveCount(0);
      await expectFailedSignups(browserErrors, 1);
      await dialog.getByRole("button", { name: "Stop" }).click();
      await dialog.getByRole("button", { name: "Back to the form" }).click();
      await expectFormValues(dialog, typed);
      await expect(dialog.getByLabel("Email")).toBeFocused();
    };

    for (const { what, local } of FAILURES) await test.step(`the backend ${what}`, () => expectCountdown(local));
    await own.backend.close();
    await test.step("the backend is down", () => expectCountdown("closed"));
    await own.gateway.stop();
    await test.step("the gateway is down", () => expectCountdown("gone"));
    expect(warnings).toEqual([
      ...Array<string>(4).fill("Sign-up is unavailable: HTTP 502."),
      "Sign-up is unavailable: HTTP 504.",
      "Sign-up is unavailable: HTTP 502.",
      "Sign-up is unavailable: no response.",
    ]);
  });

  test("when there is no response within 20 seconds", async ({ page }) => {
    const dialog = await openDialogPaused(page, "/terms");
    await page.route(`**${SIGNUP_PATH}`, () => undefined);
    const sending = page.waitForRequest(`**${SIGNUP_PATH}`);
    await signUp(dialog);
    await sending;
    await page.clock.runFor(19_000);
    await expect(dialog.getByRole("button", { name: "Creating Account..." })).toBeDisabled();
    await page.clock.runFor(1_000);
    await expect(dialog.getByRole("timer")).toBeVisible();
  });

  test("also on the sign-up page", async ({ page, browserErrors }) => {
    await page.clock.install({ time: START });
    await openPage(page, "/signup");
    await pauseClock(page);
    await signUp(page.getByRole("main"), { email: newEmail("html") });
    await expect(page.getByRole("main").getByRole("timer")).toBeVisible();
    await expectFailedSignups(browserErrors, 1);
  });
});

test.describe("The countdown", () => {
  test.beforeEach(async ({ page, browserErrors }) => {
    const dialog = await openDialogPaused(page, "/terms");
    await signUp(dialog, { email: newEmail("html") });
    await expect(dialog.getByRole("timer")).toHaveText("Taking you to Example Partner in 10 seconds.");
    await expectFailedSignups(browserErrors, 1);
  });

  test("ends at the partner with the configured parameters only", async ({ page, site }) => {
    const timer = page.getByRole("timer");
    const entries = await page.evaluate(() => history.length);
    for (let left = 9; left > 0; left -= 1) {
      await page.clock.runFor(1_000);
      await expect(timer).toHaveText(
        `Taking you to Example Partner in ${String(left)} ${left === 1 ? "second" : "seconds"}.`,
      );
      expect(new URL(page.url()).pathname).toBe("/terms");
    }
    const arriving = page.waitForRequest(`${site.backend.url}/**`);
    await page.clock.runFor(1_000);
    const request = await arriving;
    expect([request.method(), request.url()]).toEqual(["GET", `${site.backend.url}/partner?subid=colonnade`]);
    expect(request.headers().referer).toBeUndefined();
    await expect(page.getByRole("heading", { name: "Development partner" })).toBeVisible();
    expect(page.url()).toBe(`${site.backend.url}/partner?subid=colonnade`);
    // A new history entry, so Back returns to the site.
    expect(await page.evaluate(() => history.length)).toBe(entries + 1);
  });

  test("is stopped by one click or key press", async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: "Stop" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(dialog.getByText("Stopped. You’re staying on this page.")).toBeVisible();
    await page.clock.runFor(60_000);
    await expect(dialog.getByRole("timer")).toHaveCount(0);
    expect(new URL(page.url()).pathname).toBe("/terms");
  });

  for (const way of ["the X", "Escape"]) {
    test(`is canceled by ${way}, which closes the dialog`, async ({ page }) => {
      const dialog = page.getByRole("dialog");
      if (way === "Escape") await page.keyboard.press("Escape");
      else await dialog.getByRole("button", { name: "Close" }).click();
      await expect(dialog).toBeHidden();
      await page.clock.runFor(60_000);
      expect(new URL(page.url()).pathname).toBe("/terms");
      await openDialog(page);
      await expect(dialog.getByRole("button", { name: "Continue" })).toBeVisible();
    });
  }

  test("has a labeled affiliate link that skips it", async ({ page, site }) => {
    const dialog = page.getByRole("dialog");
    const link = dialog.getByRole("link");
    await expect(link).toHaveText(`Go now to Example Partner (${new URL(site.backend.url).hostname}) Affiliate link`);
    await expect(link).toHaveAttribute("rel", "sponsored nofollow noopener");
    await expect(link).toHaveAttribute("href", `${site.backend.url}/partner?subid=colonnade`);
    await expect(dialog).toContainText(
      "The countdown follows the affiliate link below, so we may earn a commission. Nothing you typed goes there.",
    );
    await page.clock.runFor(1_000);
    await link.click();
    await page.waitForURL(`${site.backend.url}/partner?subid=colonnade`);
    await expect(page.getByRole("heading", { name: "Development partner" })).toBeVisible();
  });
});

test("/go/{partner} redirects to the partner", async ({ page, site }) => {
  const response = await page.request.get("/go/example?email=a@example.com", { maxRedirects: 0 });
  expect(response.status()).toBe(302);
  expect(response.headers().location).toBe(`${site.backend.url}/partner?subid=colonnade`);
  await page.goto("/go/example");
  expect(page.url()).toBe(`${site.backend.url}/partner?subid=colonnade`);
});

test.describe("Without a partner", () => {
  test("the dialog has no disclosure or countdown, and keeps input", async ({ page, startOwnSite, browserErrors }) => {
    const own = await startOwnSite({ partner: false });
    await openPage(page, `${own.url}/terms`);
    const dialog = await openDialog(page);
    await expect(dialog).toContainText("127.0.0.1, which creates your account");
    await expect(dialog).toContainText("Your sign-up carries an affiliate tag");
    await expect(dialog).not.toContainText(/partner|unavailable|countdown|affiliate link/i);

    const expectFailed = async (local: string): Promise<void> => {
      const typed = await signUp(dialog, { email: newEmail(local) });
      await expect(dialog.getByRole("alert")).toHaveText("Signup failed. Please try again.");
      await expectFormValues(dialog, typed);
      await expect(dialog.getByRole("timer")).toHaveCount(0);
      await expect(dialog.getByRole("link")).toHaveText(["Terms", "Privacy"]);
      await expectFailedSignups(browserErrors, 1);
    };
    await test.step("the backend answers HTML", () => expectFailed("html"));
    await own.backend.close();
    await test.step("the backend is down", () => expectFailed("closed"));
    await own.gateway.stop();
    await test.step("the gateway is down", () => expectFailed("gone"));
  });

  test("/go/{partner} does not exist", async ({ page, startOwnSite }) => {
    const own = await startOwnSite({ partner: false });
    const response = await page.request.get(`${own.url}/go/example`, { maxRedirects: 0 });
    expect(response.status()).toBe(404);
  });
});

test.describe("Without a sign-up backend", () => {
  test("no form is shown", async ({ page, startOwnSite }) => {
    const own = await startOwnSite({ partner: false, signup: null });
    await openPage(page, `${own.url}/city/Texas/Houston/ad/4251`);
    await expect(page.getByRole("button", { name: "Join Free", includeHidden: true })).toHaveCount(0);
    await page.getByRole("button", { name: "Reply" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign-up isn’t available" });
    await expect(dialog).toBeVisible();
    await expect(dialog).toContainText("No sign-up service is connected, so we can’t create accounts right now.");
    await expect(dialog.getByRole("textbox")).toHaveCount(0);
    await expect(dialog).not.toContainText("affiliate");
  });
});
