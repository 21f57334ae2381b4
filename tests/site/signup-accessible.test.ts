import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test, expect } from "../support/fixtures";
import { expectFailedSignups, joinDialog, newAddress, openDialog, signUp, visit } from "../support/signup";

/** How long the dialog names another host before it goes there. */
const LEAVING_MS = 2_000;

test.describe("axe finds nothing, at 320 and 1280 px, light and dark,", () => {
  test("on the dialog as it opens, and from a sample", async ({ page }) => {
    await visit(page, "/success");
    await openDialog(page);
    await expectAccessibleInAllAppearances(page);
    await visit(page, "/city/Alabama/Birmingham/ad/4251");
    await page.getByRole("button", { name: "Reply" }).click();
    await expect(joinDialog(page)).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("on the dialog with mistakes, with an error, and while it is sending", async ({ page, site, complaints }) => {
    await visit(page, "/success");
    const dialog = await openDialog(page);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(dialog.getByText("Enter your age.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);

    await signUp(dialog, { email: newAddress("reject") });
    await expect(dialog.getByRole("alert")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    await expectFailedSignups(complaints, 1);

    await signUp(dialog, { email: newAddress("slow") });
    await expect(dialog.getByRole("button", { name: "Creating Account..." })).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    await expect.poll(() => site.backend.release()).toBe(1);
    await expect(dialog).toBeHidden();
  });

  test("on the dialog out of reach, with its countdown running and stopped", async ({ page, complaints }) => {
    // The countdown stands still, while axe's own timers run.
    await page.addInitScript(() => {
      Object.assign(window, { setInterval: () => 0 });
    });
    await visit(page, "/success");
    const dialog = await openDialog(page);
    await signUp(dialog, { email: newAddress("html") });
    await expect(dialog.getByRole("timer")).toBeVisible();
    await expectFailedSignups(complaints, 1);
    await expectAccessibleInAllAppearances(page);
    await dialog.getByRole("button", { name: "Stop" }).click();
    await expect(dialog.getByText("The countdown is stopped.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("on the dialog that names where it leads", async ({ page }) => {
    // The dialog never leaves, while axe's own timers run.
    await page.addInitScript((leaving) => {
      const start = setTimeout;
      Object.assign(window, {
        setTimeout: (run: () => void, ms?: number) => (ms === leaving ? 0 : start(run, ms)),
      });
    }, LEAVING_MS);
    await visit(page, "/success");
    const dialog = await openDialog(page);
    await signUp(dialog, { email: newAddress("away") });
    await expect(dialog.getByText("members.example.com.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("where sign-up has ended, on the dialog and on the page", async ({ page }) => {
    await visit(page, "/signup");
    await signUp(page.getByRole("main"), { age: "17" });
    await expect(page.getByRole("heading", { name: "Sign-up ends here" })).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog", { name: "Sign-up ends here" })).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("on the sign-up page, also with mistakes", async ({ page }) => {
    await visit(page, "/signup");
    await expectAccessibleInAllAppearances(page);
    await page.getByRole("button", { name: "Continue" }).click();
    await expect(page.getByText("Enter your age.")).toBeVisible();
    await expectAccessibleInAllAppearances(page);
  });

  test("on /success", async ({ page }) => {
    await visit(page, "/success");
    await expectAccessibleInAllAppearances(page);
  });
});
