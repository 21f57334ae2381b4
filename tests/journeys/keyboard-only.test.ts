import { expect, test } from "../support/fixtures";
import { open } from "../support/screens";
import { joinDialog, newEmail, PASSWORD, receivedFrom } from "../support/signup";
import { expectPageAnnounced, tabTo } from "../support/keyboard";

test("A visitor signs up from the home page by keyboard alone", async ({ page, site }) => {
  const main = page.getByRole("main");
  const { keyboard } = page;

  await test.step("Past the header by the skip link", async () => {
    await open(page, { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." });
    await tabTo(page, page.getByRole("link", { name: "Skip to content" }));
    await keyboard.press("Enter");
    await expect(main).toBeFocused();
    await tabTo(page, main.getByRole("link", { name: "Choose a state" }));
    await keyboard.press("Enter");
    await expect(page.getByRole("heading", { name: "Browse by state", exact: true })).toBeFocused();
  });

  await test.step("To a state by the search", async () => {
    await tabTo(page, page.getByRole("combobox", { name: "Find a city or state" }), "Shift+Tab");
    await keyboard.type("CA");
    await expect(page.getByRole("option", { name: "California CA" })).toBeVisible();
    await keyboard.press("ArrowDown");
    await expect(page.getByRole("option", { selected: true })).toHaveText("California CA");
    await keyboard.press("Enter");
    await expectPageAnnounced(page, "Escorts in California", "Colonnade Directory - Listings in California");
  });

  await test.step("To a city by letter", async () => {
    await tabTo(
      page,
      page.getByRole("navigation", { name: "Cities by letter" }).getByRole("link", { name: "B", exact: true }),
    );
    await keyboard.press("Enter");
    await expect(page.getByRole("heading", { level: 3, name: "B", exact: true })).toBeFocused();
    await tabTo(page, main.getByRole("link", { name: /^Baldwin Park California/ }));
    // Backwards: the sticky letter navigation must not cover the focused link.
    await tabTo(page, main.getByRole("link", { name: /^Azusa California/ }), "Shift+Tab");
    await tabTo(page, main.getByRole("link", { name: /^Bakersfield California/ }));
    await keyboard.press("Enter");
    await expectPageAnnounced(
      page,
      "Bakersfield, California",
      "Colonnade Directory - Listings in Bakersfield, California",
    );
  });

  await test.step("To an ad and its dialog", async () => {
    const link = main.getByRole("article").nth(2).getByRole("heading").getByRole("link");
    const title = await link.innerText();
    await tabTo(page, link);
    await keyboard.press("Enter");
    await expectPageAnnounced(page, title, `Sample ad: ${title} in Bakersfield, California - Colonnade Directory`);
    await tabTo(page, main.getByRole("button", { name: "Reply", exact: true }));
    await keyboard.press("Enter");
    await expect(joinDialog(page).getByRole("heading", { name: "Create your account" })).toBeFocused();
  });

  await test.step("To an account", async () => {
    const dialog = joinDialog(page);
    const email = newEmail();
    await tabTo(page, dialog.getByLabel("Email"));
    await keyboard.type(email);
    await tabTo(page, dialog.getByLabel("Password", { exact: true }));
    await keyboard.insertText(PASSWORD);
    await tabTo(page, dialog.getByRole("button", { name: "Show password" }));
    await keyboard.press("Space");
    await expect(dialog.getByLabel("Password", { exact: true })).toHaveAttribute("type", "text");
    await tabTo(page, dialog.getByLabel("Age"));
    await keyboard.type("34");
    await keyboard.press("Enter");
    await expectPageAnnounced(page, "You’re signed up", "Your account - Colonnade Directory");
    expect(receivedFrom(site, email)).toHaveLength(1);
  });
});
