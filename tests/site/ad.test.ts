import { expectRefused } from "../support/failures";
import { expect, test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";

const AD = "/city/Texas/Houston/ad/4251";
const TITLE = "Coffee and an unhurried conversation";
const IDS = Array.from({ length: 50 }, (_, index) => 4251 + index);

// What the dialog says first where something of a sample opened it.
const SAMPLES = "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";

test("it has title, 'Age: {age}', description with its line breaks, and 'Posted in {city}, {state}'", async ({
  page,
}) => {
  await page.goto(AD);
  await expectScreen(page, TITLE);
  await expect(page.getByText("Age: 24", { exact: true })).toBeVisible();
  await expect(page.getByText("Posted in Houston, Texas", { exact: true })).toBeVisible();
  const description = page.getByText(/^One good café/);
  // As it is drawn: a line break that is shown counts, one in the source does not.
  expect(await description.evaluate((text) => (text as HTMLElement).innerText.split("\n"))).toEqual([
    "One good café, two cups, no agenda.",
    "Books, work, weather or nothing in particular.",
    "The second cup is usually where it gets interesting.",
  ]);
});

for (const label of ["Pics 📸", "Reply"]) {
  test(`the button '${label}' opens the dialog, which first says that the ads are samples`, async ({ page }) => {
    await page.goto(AD);
    await page.getByRole("main").getByRole("button", { name: label, exact: true }).click();
    await expect(page.getByRole("dialog").getByRole("paragraph").first()).toHaveText(SAMPLES);
  });
}

test("'Back to {city} ads' leads to the city", async ({ page }) => {
  await page.goto("/city/Hawaii/%E2%80%98Ewa%20Beach/ad/4251");
  await page.getByRole("link", { name: "Back to ‘Ewa Beach ads", exact: true }).click();
  await expectScreen(page, "‘Ewa Beach, Hawaii");
  await expect(page).toHaveURL("/city/Hawaii/%E2%80%98Ewa%20Beach");
});

test("all 50 regular ads have a page, with an age from 21 to 29", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/terms");
  const titles = new Set<string>();
  for (const id of IDS) {
    await follow(page, `/city/Texas/Houston/ad/${String(id)}`);
    await expect(page).toHaveURL(`/city/Texas/Houston/ad/${String(id)}`);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", new RegExp(`/ad/${String(id)}$`));
    await expect(page.getByText(/^Age: /)).toHaveText(/^Age: 2[1-9]$/);
    titles.add(await page.getByRole("heading", { level: 1 }).innerText());
  }
  expect(titles.size).toBe(50);
});

test("digits that write the same whole number name the same ad", async ({ page }) => {
  await page.goto("/city/Texas/Houston/ad/0004251");
  await expectScreen(page, TITLE);
  await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", /\/city\/Texas\/Houston\/ad\/4251$/);
});

test("an id that is no regular ad's is 'Ad not found': a featured one, one beside them, no digits", async ({
  page,
}) => {
  await page.goto("/terms");
  for (const id of [
    "9001",
    "9002",
    "0",
    "4250",
    "4301",
    "-4251",
    "+4251",
    "4251.0",
    "4251e0",
    "0x109b",
    "4251x",
    "%204251",
    "%D9%A4%D9%A2%D9%A5%D9%A1",
    "9".repeat(400),
    "constructor",
  ]) {
    await follow(page, "/terms");
    await expectScreen(page, "Terms of use");
    await follow(page, `/city/Texas/Houston/ad/${id}`);
    await expectScreen(page, "Ad not found");
    await expect(page.getByRole("main").getByRole("link", { name: "Return to home" })).toHaveAttribute("href", "/");
  }
});

test("a missing id counts as 0, which is no ad's", async ({ page, site, complaints }) => {
  await page.goto("/city/Texas/Houston/ad");
  await expectScreen(page, "Ad not found");
  if (site.rendered) await expectRefused(complaints, 404);
});

test("an unknown state or city in the path is 'City not found', whatever the id", async ({
  page,
  site,
  complaints,
}) => {
  for (const path of ["/city/Texas/Nowhere/ad/4251", "/city/Nowhere/Houston/ad/4251", "/city/Texas/Nowhere/ad/1"]) {
    await page.goto(path);
    await expectScreen(page, "City not found");
    await expect(page.getByRole("main").getByRole("link", { name: "Return to home" })).toHaveAttribute("href", "/");
  }
  if (site.rendered) await expectRefused(complaints, 404);
});
