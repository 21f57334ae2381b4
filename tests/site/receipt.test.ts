// The dialog and what clears the tab. The page is among the screens that other tests visit.
import { expectAccessible } from "../support/axe";
import { expect, test } from "../support/fixtures";
import { recordLayoutShifts, scrollThrough } from "../support/layout-shifts";
import { open } from "../support/screens";
import { expectFailedSignups, newEmail, openDialog, signUp } from "../support/signup";

const HEADING = "What this site knows about you right now";
const RECEIPT = { name: "the receipt", path: "/privacy/receipt", heading: HEADING };
const HOUSTON = { name: "a city", path: "/city/Texas/Houston", heading: "Houston, Texas" };
const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };

test("A visitor sees what the tab keeps and has sent, clears it and leaves", async ({ page, browserErrors }) => {
  const shifts = await recordLayoutShifts(page);
  const receipt = page.getByRole("dialog", { name: HEADING });
  const cities = page.getByRole("region", { name: "Cities in this tab" });

  await test.step("The page names what is typed in a form that is closed on it", async () => {
    const typed = page.getByText(/as typed in the form: your email$/);
    await open(page, RECEIPT);
    const join = await openDialog(page);
    await expect(typed).toHaveCount(0);
    await join.getByLabel("Email").fill(newEmail("ok"));
    await page.keyboard.press("Escape");
    await expect(typed).toBeVisible();
  });

  await test.step("Home lists the cities of the tab, and nothing moves", async () => {
    await open(page, HOUSTON);
    await open(page, HOME);
    await expect(cities.getByRole("link", { name: "Houston, Texas" })).toHaveAttribute("href", HOUSTON.path);
    await scrollThrough(page);
    expect(await shifts()).toEqual([]);
  });

  await test.step("What is typed in a form that is closed is named", async () => {
    const join = await openDialog(page);
    await join.getByLabel("Email").fill(newEmail("ok"));
    await page.keyboard.press("Escape");
    await cities.getByRole("link", { name: HEADING }).click();
    await expect(receipt.getByText(/as typed in the form: your email$/)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(receipt).toBeHidden();
  });

  await test.step("The notice for people under 18 leads to what the tab remembers", async () => {
    const join = await openDialog(page);
    await signUp(join, { email: newEmail("reject") });
    await expectFailedSignups(browserErrors, 1);
    await signUp(join, { age: "17" });
    await page.getByRole("dialog").getByRole("link", { name: "What this tab remembers" }).click();
    await expect(receipt.getByRole("heading", { name: HEADING })).toBeFocused();
    await expect(receipt.getByText(/^One thing stays: the word “closed\.” .* holds no age/)).toBeVisible();
    await expect(
      receipt.getByText(/, through this site to 127\.0\.0\.1: email, password, age\. It was refused\.$/),
    ).toHaveCount(1);
    await expectAccessible(page, { selector: "dialog" });
    await page.emulateMedia({ colorScheme: "dark" });
    await expectAccessible(page, { selector: "dialog", colorsOnly: true });
    await page.keyboard.press("Escape");
    await expect(receipt).toBeHidden();
    await expect(page.getByRole("contentinfo").getByRole("button", { name: "Join Free" })).toBeFocused();
  });

  await test.step("One click clears all but the word “closed”, and opens the other site", async () => {
    await page.route("https://www.weather.gov/", (route) => route.fulfill({ body: "Sunny", contentType: "text/html" }));
    await cities.getByRole("link", { name: HEADING }).click();
    await receipt.getByRole("link", { name: "Clear it and leave" }).click();
    await page.waitForURL("https://www.weather.gov/");
    await open(page, RECEIPT);
    await expect(page.getByText("Nothing yet")).toHaveCount(2);
    expect(await page.evaluate(() => Object.entries(sessionStorage))).toEqual([["signup", "closed"]]);
  });
});
