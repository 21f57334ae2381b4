import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test, expect } from "../support/fixtures";
import { expectFailedSignups, joinDialog, newEmail, openDialog, signUp, openPage } from "../support/signup";

/** How long the dialog names another host before it redirects. */
const REDIRECT_DELAY_MS = 2_000;

test.describe("axe finds no violations, at 320 and 1280 px, light and dark", () => {
  test("in the dialog, also opened from a sample", async ({ page }) => {
    await openPage(page, "/success");
    await openDialog(page);
    await expectAccessibleInAllAppearances(page);
    await openPage(page, "/city/Alabama/Birmingham/ad/4251");
    await page.getByRole("button", { name: "Reply" }).click();
    await expect(joinDialog(page)).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("in the dialog with mistakes, an error and while submitting", async ({ page, site, browserErrors }) => {
    await openPage(page, "/success");
    const dialog = await openDialog(page);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(dialog.getByText("Enter your age as a whole number from 18 to 120.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);

    await signUp(dialog, { email: newEmail("reject") });
    await expect(dialog.getByText("This email address is already registered.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    await signUp(dialog, { email: newEmail("wordless") });
    await expect(dialog.getByRole("alert")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    await expectFailedSignups(browserErrors, 2);

    await signUp(dialog, { email: newEmail("slow") });
    await expect(dialog.getByRole("button", { name: "Creating Account..." })).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    await expect.poll(() => site.backend.release()).toBe(1);
    await expect(dialog).toBeHidden();
  });

  test("in the dialog with the countdown running and stopped", async ({ page, browserErrors }) => {
    // Stops the countdown without stopping axe's timers.
    await page.addInitScript(() => {
      Object.assign(window, { setInterval: () => 0 });
    });
    await openPage(page, "/success");
    const dialog = await openDialog(page);
    await signUp(dialog, { email: newEmail("html") });
    await expect(dialog.getByRole("timer")).toBeVisible();
    await expectFailedSignups(browserErrors, 1);
    await expectAccessibleInAllAppearances(page);
    await dialog.getByRole("button", { name: "Stop" }).click();
    await expect(dialog.getByText("Stopped. You’re staying on this page.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("in the dialog that names a redirect host", async ({ page }) => {
    // Stops the redirect without stopping axe's timers.
    await page.addInitScript((leaving) => {
      const start = setTimeout;
      Object.assign(window, {
        setTimeout: (run: () => void, ms?: number) => (ms === leaving ? 0 : start(run, ms)),
      });
    }, REDIRECT_DELAY_MS);
    await openPage(page, "/success");
    const dialog = await openDialog(page);
    await signUp(dialog, { email: newEmail("away") });
    await expect(dialog.getByText("members.example.com.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("in the dialog and on the page after sign-up has ended", async ({ page }) => {
    await openPage(page, "/signup");
    await signUp(page.getByRole("main"), { age: "17" });
    await expect(page.getByRole("heading", { name: "Sign-up ends here" })).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog", { name: "Sign-up ends here" })).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("on the sign-up page, also with mistakes", async ({ page }) => {
    await openPage(page, "/signup");
    await expectAccessibleInAllAppearances(page);
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText("Enter your age as a whole number from 18 to 120.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });
});
