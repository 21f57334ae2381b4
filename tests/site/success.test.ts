import { test, expect } from "../support/own-site";
import { openPage } from "../support/signup";

test.describe("/success", () => {
  test("says where the account is, is not indexed, and leads home", async ({ page }) => {
    await openPage(page, "/success");
    await expect(page).toHaveTitle("You are signed up - Colonnade Directory");
    await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
    await expect(page.locator("meta[name=description]")).toHaveAttribute("content", /Where a sign-up/);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", "http://localhost:8080/success");
    await expect(page.getByRole("contentinfo")).toContainText("18+ only");
    const main = page.getByRole("main");
    await expect(main.getByRole("heading", { level: 1 })).toHaveText("Thank you for signing up");
    await expect(main).toContainText("your account was created at 127.0.0.1");
    await expect(main).toContainText("passes your e-mail, password and stated age on, and stores none of them");
    await main.getByRole("link", { name: "Back to Colonnade Directory" }).click();
    await page.waitForURL("/");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  });

  test("claims no account or backend that does not exist", async ({ page, startOwnSite }) => {
    const own = await startOwnSite({ partner: false, signup: null });
    await openPage(page, `${own.url}/success`);
    await expect(page.getByRole("main")).toContainText(
      "If the sign-up form brought you here, your account was created at the sign-up service.",
    );
  });
});
