import { expectHttpError } from "../support/http-errors";
import { expect, test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";

const AD = "/city/Texas/Houston/ad/4251";
const TITLE = "Coffee and an unhurried conversation";
const IDS = Array.from({ length: 50 }, (_, index) => 4251 + index);

test("An ad page shows title, age, description and place", async ({ page }) => {
  await page.goto(AD);
  await expectScreen(page, TITLE);
  await expect(page.getByText("Age: 24", { exact: true })).toBeVisible();
  await expect(page.getByText("Posted in Houston, Texas", { exact: true })).toBeVisible();
  const description = page.getByText(/^One good café/);
  // innerText has the rendered line breaks, not those of the source.
  expect(await description.evaluate((text) => (text as HTMLElement).innerText.split("\n"))).toEqual([
    "One good café, two cups, no agenda.",
    "Books, work, weather, or nothing in particular.",
    "The second cup is usually where it gets interesting.",
  ]);
});

test("'Back to {city} ads' leads to the city", async ({ page }) => {
  await page.goto("/city/Hawaii/%E2%80%98Ewa%20Beach/ad/4251");
  await page.getByRole("link", { name: "Back to ‘Ewa Beach ads", exact: true }).click();
  await expectScreen(page, "‘Ewa Beach, Hawaii");
  await expect(page).toHaveURL("/city/Hawaii/%E2%80%98Ewa%20Beach");
});

test("'Previous sample' and 'Next sample' lead to the ads beside", async ({ page }) => {
  await page.goto(AD);
  const others = page.getByRole("navigation", { name: "Other ads" });
  await expect(others.getByRole("link")).toHaveCount(1);
  await others.getByRole("link", { name: /^Next sample/ }).click();
  await expect(page).toHaveURL("/city/Texas/Houston/ad/4252");
  await others.getByRole("link", { name: /^← Previous sample/ }).click();
  await expectScreen(page, TITLE);
});

test("All 50 regular ad pages have a sample badge and age 21 to 29", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/terms");
  const titles = new Set<string>();
  for (const id of IDS) {
    await follow(page, `/city/Texas/Houston/ad/${String(id)}`);
    await expect(page).toHaveURL(`/city/Texas/Houston/ad/${String(id)}`);
    await expect(page).toHaveTitle(/ in Houston, Texas$/);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", new RegExp(`/ad/${String(id)}$`));
    await expect(page.getByText(/^Age: /)).toHaveText(/^Age: 2[1-9]$/);
    await expect(page.getByRole("main").getByText("Sample ad", { exact: true })).toBeVisible();
    titles.add(await page.getByRole("heading", { level: 1 }).innerText());
  }
  expect(titles.size).toBe(50);
});

test("Leading zeros in an ID name the same ad", async ({ page }) => {
  await page.goto("/city/Texas/Houston/ad/0004251");
  await expectScreen(page, TITLE);
  await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", /\/city\/Texas\/Houston\/ad\/4251$/);
});

test("Featured, unknown and non-digit IDs show 'Ad not found'", async ({ page }) => {
  // Skips thirty view transitions.
  await page.emulateMedia({ reducedMotion: "reduce" });
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

test("A missing ID, unknown state or unknown city returns 404", async ({ page, browserErrors }) => {
  for (const [path, heading] of [
    ["/city/Texas/Houston/ad", "Ad not found"],
    ["/city/Texas/Nowhere/ad/4251", "City not found"],
    ["/city/Nowhere/Houston/ad/4251", "City not found"],
    ["/city/Texas/Nowhere/ad/1", "City not found"],
  ] as const) {
    await page.goto(path);
    await expectScreen(page, heading);
    await expect(page.getByRole("main").getByRole("link", { name: "Return to home" })).toHaveAttribute("href", "/");
    await expectHttpError(browserErrors, 404);
  }
});
