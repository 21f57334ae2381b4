import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };

// journeys/sign-up-with-errors corrects a rejected email in two actions.
test("A first-time visitor's tasks take few actions", async ({ page }) => {
  await test.step("Home to Los Angeles takes three", async () => {
    await open(page, HOME);
    await page.getByRole("combobox", { name: "Find a city or state" }).click();
    await page.keyboard.type("los angeles");
    await page.keyboard.press("Enter");
    await expectScreen(page, "Los Angeles, California");
  });
  await test.step("A city to a nearby city takes one", async () => {
    await page.goto("/city/Texas/Houston");
    await page
      .getByRole("region", { name: "Nearby cities" })
      .getByRole("link", { name: /^Bellaire/ })
      .click();
    await expectScreen(page, "Bellaire, Texas");
  });
  await test.step("Home to the safety guide takes one", async () => {
    await open(page, HOME);
    const guide = page.getByRole("main").getByRole("link", { name: "Safety guide" }).first();
    await expect(guide).toBeVisible();
    await guide.click();
    await expectScreen(page, "Safety guide");
  });
});
