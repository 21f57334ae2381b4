import type { Locator, Page } from "@playwright/test";

import { test, expect } from "../support/beside";
import {
  expectFailedSignups,
  expectTyped,
  newAddress,
  openDialog,
  SIGNUP_PATH,
  signUp,
  visit,
} from "../support/signup";

const START = new Date("2026-01-01T12:00:00Z");

/** Lets the page's clock stand still until it is told to run. */
async function stopTime(page: Page): Promise<void> {
  await page.clock.pauseAt(new Date(START.getTime() + 3_600_000));
}

/** Opens the dialog on a page whose clock then stands still. React times when it shows what was awaited. */
async function openDialogWithoutTime(page: Page, address: string): Promise<Locator> {
  await page.clock.install({ time: START });
  await visit(page, address);
  const dialog = await openDialog(page);
  await stopTime(page);
  return dialog;
}

test.describe("sign-up is out of reach: the dialog says so and counts down to the partner", () => {
  const OUT_OF_REACH = [
    { what: "answers HTML", local: "html" },
    { what: "answers broken JSON", local: "rubbish" },
    { what: "answers JSON that is no object", local: "list" },
    { what: "drops the connection", local: "die" },
    { what: "does not answer in time", local: "stall" },
  ];

  test("when the backend is broken, stalls or is closed, and when the gateway is gone", async ({
    page,
    beside,
    complaints,
  }) => {
    const own = await beside({ signup: { total_timeout_ms: 3_000 } });
    const warnings: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "warning") warnings.push(message.text());
    });
    const dialog = await openDialogWithoutTime(page, `${own.url}/terms`);

    const expectCountdown = async (local: string): Promise<void> => {
      const typed = await signUp(dialog, { email: newAddress(local) });
      await expect(dialog.getByText("Sign-up is out of reach right now")).toBeVisible();
      await expect(dialog.getByRole("timer")).toHaveText("Leaving in 10 seconds");
      await expect(dialog.getByRole("alert")).toHaveCount(0);
      await expectFailedSignups(complaints, 1);
      await dialog.getByRole("button", { name: "Stop" }).click();
      await dialog.getByRole("button", { name: "Back to the form" }).click();
      await expectTyped(dialog, typed);
      await expect(dialog.getByLabel("E-mail")).toBeFocused();
    };

    for (const { what, local } of OUT_OF_REACH) await test.step(`the backend ${what}`, () => expectCountdown(local));
    await own.backend.close();
    await test.step("the backend is closed", () => expectCountdown("closed"));
    await own.gateway.stop();
    await test.step("the gateway is gone", () => expectCountdown("gone"));
    expect(warnings).toEqual([
      ...Array<string>(4).fill("Sign-up is out of reach: HTTP 502."),
      "Sign-up is out of reach: HTTP 504.",
      "Sign-up is out of reach: HTTP 502.",
      "Sign-up is out of reach: no answer.",
    ]);
  });

  test("when there is no answer at all within 20 seconds", async ({ page }) => {
    const dialog = await openDialogWithoutTime(page, "/terms");
    await page.route(`**${SIGNUP_PATH}`, () => undefined);
    const sending = page.waitForRequest(`**${SIGNUP_PATH}`);
    await signUp(dialog);
    await sending;
    await page.clock.runFor(19_000);
    await expect(dialog.getByRole("button", { name: "Creating Account..." })).toBeDisabled();
    await page.clock.runFor(1_000);
    await expect(dialog.getByRole("timer")).toBeVisible();
  });

  test("also on the sign-up page", async ({ page, complaints }) => {
    await page.clock.install({ time: START });
    await visit(page, "/signup");
    await stopTime(page);
    await signUp(page.getByRole("main"), { email: newAddress("html") });
    await expect(page.getByRole("main").getByRole("timer")).toBeVisible();
    await expectFailedSignups(complaints, 1);
  });
});

test.describe("the countdown", () => {
  test.beforeEach(async ({ page, complaints }) => {
    const dialog = await openDialogWithoutTime(page, "/terms");
    await signUp(dialog, { email: newAddress("html") });
    await expect(dialog.getByRole("timer")).toHaveText("Leaving in 10 seconds");
    await expectFailedSignups(complaints, 1);
  });

  test("is seen, and ends at the partner, with the configured parameters and nothing else", async ({ page, site }) => {
    const timer = page.getByRole("timer");
    const entries = await page.evaluate(() => history.length);
    for (let left = 9; left > 0; left -= 1) {
      await page.clock.runFor(1_000);
      await expect(timer).toHaveText(`Leaving in ${String(left)} ${left === 1 ? "second" : "seconds"}`);
      expect(new URL(page.url()).pathname).toBe("/terms");
    }
    const arriving = page.waitForRequest(`${site.backend.url}/**`);
    await page.clock.runFor(1_000);
    const request = await arriving;
    expect([request.method(), request.url()]).toEqual(["GET", `${site.backend.url}/partner?subid=colonnade`]);
    expect(request.headers().referer).toBeUndefined();
    await expect(page.getByRole("heading", { name: "Development partner" })).toBeVisible();
    expect(page.url()).toBe(`${site.backend.url}/partner?subid=colonnade`);
    // One more than before: the browser's own button leads back.
    expect(await page.evaluate(() => history.length)).toBe(entries + 1);
  });

  test("is stopped by one click, or by a key pressed in surprise", async ({ page }) => {
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByRole("button", { name: "Stop" })).toBeFocused();
    await page.keyboard.press("Enter");
    await expect(dialog.getByText("The countdown is stopped. You stay on this page.")).toBeVisible();
    await page.clock.runFor(60_000);
    await expect(dialog.getByRole("timer")).toHaveCount(0);
    expect(new URL(page.url()).pathname).toBe("/terms");
  });

  test("is skipped by one click", async ({ page, site }) => {
    await page.getByRole("link", { name: /^Go now to .* Affiliate link$/ }).click();
    await page.waitForURL(`${site.backend.url}/partner?subid=colonnade`);
    await expect(page.getByRole("heading", { name: "Development partner" })).toBeVisible();
  });

  for (const way of ["the X", "Escape"]) {
    test(`is cancelled by ${way}, which closes the dialog`, async ({ page }) => {
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

  test("stands beside a link that is labelled as an affiliate link", async ({ page, site }) => {
    const dialog = page.getByRole("dialog");
    const link = dialog.getByRole("link");
    await expect(link).toHaveText(`Go now to Example Partner (${new URL(site.backend.url).hostname}) Affiliate link`);
    await expect(link).toHaveAttribute("rel", "sponsored nofollow noopener");
    await expect(link).toHaveAttribute("href", `${site.backend.url}/partner?subid=colonnade`);
    await expect(dialog).toContainText(
      "to Example Partner (127.0.0.1) through an affiliate link: we may earn a commission. " +
        "Your e-mail, password and age do not go there.",
    );
  });
});

test("/go/{partner} leads to the partner at once", async ({ page, site }) => {
  const response = await page.request.get("/go/example?email=a@example.com", { maxRedirects: 0 });
  expect(response.status()).toBe(302);
  expect(response.headers().location).toBe(`${site.backend.url}/partner?subid=colonnade`);
  await page.goto("/go/example");
  expect(page.url()).toBe(`${site.backend.url}/partner?subid=colonnade`);
});

test.describe("without a partner", () => {
  test("the dialog discloses none, counts down to none, and keeps what was typed", async ({
    page,
    beside,
    complaints,
  }) => {
    const own = await beside({ partner: false });
    await visit(page, `${own.url}/terms`);
    const dialog = await openDialog(page);
    await expect(dialog).toContainText("your e-mail, password and stated age go to 127.0.0.1");
    await expect(dialog).toContainText("The sign-up carries an affiliate tag");
    await expect(dialog).not.toContainText(/partner|out of reach|countdown|affiliate link/i);

    const expectFailed = async (local: string): Promise<void> => {
      const typed = await signUp(dialog, { email: newAddress(local) });
      await expect(dialog.getByRole("alert")).toHaveText("Signup failed. Please try again.");
      await expectTyped(dialog, typed);
      await expect(dialog.getByRole("timer")).toHaveCount(0);
      await expect(dialog.getByRole("link")).toHaveText(["Terms", "Privacy"]);
      await expectFailedSignups(complaints, 1);
    };
    await test.step("the backend answers HTML", () => expectFailed("html"));
    await own.backend.close();
    await test.step("the backend is closed", () => expectFailed("closed"));
    await own.gateway.stop();
    await test.step("the gateway is gone", () => expectFailed("gone"));
  });

  test("/go/{partner} does not exist", async ({ page, beside }) => {
    const own = await beside({ partner: false });
    const response = await page.request.get(`${own.url}/go/example`, { maxRedirects: 0 });
    expect(response.status()).toBe(404);
  });
});

test.describe("without a sign-up backend", () => {
  test("nobody is asked for details that nobody would receive", async ({ page, beside }) => {
    const own = await beside({ partner: false, signup: null });
    await visit(page, `${own.url}/city/Texas/Houston/ad/4251`);
    await expect(page.getByRole("button", { name: "Join Free", includeHidden: true })).toHaveCount(0);
    await page.getByRole("button", { name: "Reply" }).click();
    const dialog = page.getByRole("dialog", { name: "Sign-up is not available" });
    await expect(dialog).toBeVisible();
    await expect(dialog).toContainText("Sign-up is not available at the moment: no sign-up service is connected");
    await expect(dialog.getByRole("textbox")).toHaveCount(0);
    await expect(dialog).not.toContainText("affiliate");
  });
});
