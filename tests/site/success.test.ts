import { test, expect } from "../support/own-site";
import { waitForHydration } from "../support/hydration";
import { openDialog, openPage, signUp } from "../support/signup";

test.describe("/success", () => {
  test("says where the account is, is not indexed, and leads home", async ({ page }) => {
    await openPage(page, "/success");
    await expect(page).toHaveTitle("Your account - Colonnade Directory");
    await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
    await expect(page.locator("meta[name=description]")).toHaveAttribute("content", /Where a sign-up/);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", "http://localhost:8080/success");
    await expect(page.getByRole("contentinfo")).toContainText("18+ only");
    const main = page.getByRole("main");
    await expect(main.getByRole("heading", { level: 1 })).toHaveText("Your account");
    await expect(main).toContainText("If you just signed up here, your account is at 127.0.0.1.");
    await expect(main).toContainText("passes on your email, password, and stated age, and doesn’t keep them");
    await main.getByRole("link", { name: "Back to Colonnade Directory" }).click();
    await page.waitForURL("/");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  });

  test("says that the visitor is signed up once, after a sign-up", async ({ page }) => {
    await openPage(page, "/terms");
    await signUp(await openDialog(page));
    await page.waitForURL("/success");
    const heading = page.getByRole("main").getByRole("heading", { level: 1 });
    await expect(heading).toHaveText("You’re signed up");
    await expect(page.getByRole("main")).toContainText("Your account was created at 127.0.0.1.");
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
    await page.reload();
    await waitForHydration(page);
    await expect(heading).toHaveText("Your account");
  });

  test("is neutral for a visitor who leaves it and returns", async ({ page }) => {
    await openPage(page, "/terms");
    await signUp(await openDialog(page));
    await page.waitForURL("/success");
    await page.getByRole("main").getByRole("link", { name: "Back to" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(/^Browse by state/);
    await page.goBack();
    await expect(page.getByRole("main").getByRole("heading", { level: 1 })).toHaveText("Your account");
  });

  test("claims no account or backend that does not exist", async ({ page, startOwnSite }) => {
    const own = await startOwnSite({ partner: false, signup: null });
    await openPage(page, `${own.url}/success`);
    await expect(page.getByRole("main")).toContainText(
      "If you just signed up here, your account is at the sign-up service.",
    );
  });
});
