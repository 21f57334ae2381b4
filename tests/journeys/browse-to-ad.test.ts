import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";
import { expectPageAnnounced } from "../support/keyboard";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };

test("A visitor browses from the home page to an ad, and back up", async ({ page }) => {
  const main = page.getByRole("main");
  const statusOf = (name: string) => page.getByRole("search", { name }).getByRole("status");

  await test.step("The home page introduces itself first", async () => {
    await open(page, HOME);
    await expect(main).toMatchAriaSnapshot(`
      - main:
        - heading "Browse by state. Know what you’re reading." [level=1]
        - paragraph: A sample companionship directory for the United States. Adults only.
        - search "Places":
          - combobox "Find a city or state"
        - link "Choose a state"
        - region "Browse by state":
          - heading "Browse by state" [level=2]
          - list:
            - listitem:
              - link "Alabama"
              - text: 40 cities
        - region "What to expect"
        - region "Sample testimonial"
        - region "Questions and answers"
    `);
  });

  await test.step("The search announces how many places match", async () => {
    await page.getByRole("combobox", { name: "Find a city or state" }).pressSequentially("texa");
    await expect(statusOf("Places")).toHaveText("4 results");
    await page.getByRole("option", { name: "Texas TX" }).click();
    await expectPageAnnounced(page, "Escorts in Texas", "Colonnade Directory - Listings in Texas");
  });

  await test.step("The state page lists cities by letter, with a filter", async () => {
    await expect(main).toMatchAriaSnapshot(`
      - main:
        - navigation "Breadcrumb":
          - list:
            - listitem:
              - link "Home"
            - listitem: Texas
        - search "Places":
          - combobox "Find a city or state"
        - heading "Escorts in Texas" [level=1]
        - paragraph: Browse sample escort profiles in 182 cities across Texas
        - paragraph: These are sample ads, not real people. Replies go nowhere.
        - region "Cities in Texas":
          - heading "All 182 cities" [level=2]
          - search "Filter cities":
            - searchbox "Filter cities"
          - navigation "Cities by letter":
            - list:
              - listitem:
                - link "A"
          - heading "A" [level=3]
          - list:
            - listitem:
              - link /Abilene Texas Browse Escorts/
          - heading "B" [level=3]
        - region "About the ads in Texas"
    `);
    const filter = page.getByRole("searchbox", { name: "Filter cities" });
    await expect(filter).toHaveAccessibleDescription("Filters as you type.");
    await filter.pressSequentially("houston");
    await expect(statusOf("Filter cities")).toHaveText("2 of 182 cities");
    await main.getByRole("link", { name: /^Houston Texas/ }).click();
    await expectPageAnnounced(page, "Houston, Texas", "Colonnade Directory - Listings in Houston, Texas");
  });

  let title = "";
  await test.step("The city page says that ads are samples before the first ad", async () => {
    await expect(main).toMatchAriaSnapshot(`
      - main:
        - heading "Houston, Texas" [level=1]
        - paragraph: These are sample ads, not real people. Replies go nowhere.
        - region "Featured 2":
          - heading "Featured 2" [level=2]
          - list:
            - listitem:
              - article:
                - img "Abstract placeholder, not a photo"
                - heading [level=3]
                - paragraph: /Sample ad.*most popular.*Age \\d\\d.*W4M/
                - button "Reply to Ad 💬"
                - link /^Report this ad/
        - region /All other ads \\d+/:
          - search "Ads"
          - list
        - button "Next Page →"
        - region "Report an ad"
    `);
    const link = main.getByRole("article").nth(2).getByRole("heading").getByRole("link");
    title = await link.innerText();
    await link.click();
  });

  await test.step("The ad says that it is a sample, and where to report it", async () => {
    await expectPageAnnounced(page, title, `Sample ad: ${title} in Houston, Texas - Colonnade Directory`);
    await expect(main).toMatchAriaSnapshot(`
      - main:
        - navigation "Breadcrumb":
          - list:
            - listitem:
              - link "Home"
            - listitem:
              - link "Texas"
            - listitem:
              - link "Houston"
        - paragraph: This is a sample ad, not a real person. Replies go nowhere.
        - navigation "Before you meet anyone"
        - article:
          - img "Abstract placeholder, not a photo"
          - heading [level=1]
          - paragraph: /Sample ad.*Age. \\d\\d.*woman for men/
          - paragraph
          - button "Pics 📸"
          - button "Reply"
          - paragraph: Posted in Houston, Texas
          - link /^Report this ad/
        - navigation "Other ads"
        - link "Back to Houston ads"
        - region "Report this ad":
          - heading "Report this ad" [level=2]
    `);
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
