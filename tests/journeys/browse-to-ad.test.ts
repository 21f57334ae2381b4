import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";
import { expectPageAnnounced } from "../support/keyboard";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };

test("A visitor browses from the home page to an ad, and back up", async ({ page }) => {
  const main = page.getByRole("main");
  const statusOf = (name: string) => page.getByRole("search", { name }).getByRole("status");

  await open(page, HOME);
  await test.step("The search announces how many places match", async () => {
    await page.getByRole("combobox", { name: "Find a city or state" }).pressSequentially("texa");
    await expect(statusOf("Places")).toHaveText("4 results");
    await page.getByRole("option", { name: "Texas TX" }).click();
    await expectPageAnnounced(page, "Escorts in Texas", "Colonnade Directory - Listings in Texas");
  });

  await test.step("The filter of the state page announces how many cities match", async () => {
    const filter = page.getByRole("searchbox", { name: "Filter cities" });
    await expect(filter).toHaveAccessibleDescription("Filters as you type.");
    await filter.pressSequentially("houston");
    await expect(statusOf("Filter cities")).toHaveText("2 of 182 cities");
    await main.getByRole("link", { name: /^Houston Texas/ }).click();
    await expectPageAnnounced(page, "Houston, Texas", "Colonnade Directory - Listings in Houston, Texas");
  });

  await test.step("An ad has its title", async () => {
    const link = main.getByRole("article").nth(2).getByRole("heading").getByRole("link");
    const title = await link.innerText();
    await link.click();
    await expectPageAnnounced(page, title, `Sample ad: ${title} in Houston, Texas - Colonnade Directory`);
  });

  await test.step("Breadcrumbs lead back up", async () => {
    const trail = page.getByRole("navigation", { name: "Breadcrumb" });
    for (const [name, heading] of [
      ["Houston", "Houston, Texas"],
      ["Texas", "Escorts in Texas"],
      ["Home", HOME.heading],
    ] as const) {
      await trail.getByRole("link", { name }).click();
      await expectScreen(page, heading);
    }
  });

  await test.step("Three actions lead from home to a city, and one to the next city", async () => {
    await page.getByRole("combobox", { name: "Find a city or state" }).click();
    await page.keyboard.type("houston");
    await page.keyboard.press("Enter");
    await expectScreen(page, "Houston, Texas");
    await page
      .getByRole("region", { name: "Nearby cities" })
      .getByRole("link", { name: /^Bellaire/ })
      .click();
    await expectScreen(page, "Bellaire, Texas");
  });

  await test.step("One action leads from home to the safety guide", async () => {
    await open(page, HOME);
    await main.getByRole("link", { name: "Safety guide" }).first().click();
    await expectScreen(page, "Safety guide");
  });
});
