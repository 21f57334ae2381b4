import { expectErrorsAbout } from "../support/browser-errors";
import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";

test("Offline navigation shows a message, then loads once online", async ({ page, context, browserErrors }) => {
  const home = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };
  await open(page, home);
  await context.setOffline(true);
  await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
  await expectScreen(page, "You’re offline");
  await expect(page.getByRole("alert")).toContainText("We’ll load this page when you’re back online");
  await page.goBack();
  await expectScreen(page, home.heading);
  await page.goForward();
  await expectScreen(page, "You’re offline");
  await context.setOffline(false);
  await expectScreen(page, "Terms of use");
  expectErrorsAbout(browserErrors, "ERR_INTERNET_DISCONNECTED");
});
