import { expectAccessible } from "../support/axe";
import { expect, test } from "../support/fixtures";
import { expectRefused } from "../support/failures";
import { ARTICLES, MISSING, open, SCREENS } from "../support/screens";

for (const screen of SCREENS) {
  test(`axe finds nothing on ${screen.name}, light and dark, with the menu closed and open`, async ({ page }) => {
    await open(page, screen);
    const menu = page.getByRole("banner").getByText("Menu", { exact: true });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expectAccessible(page);
    }
    if ((await menu.count()) === 0) return;
    await menu.click();
    await expect(page.getByRole("navigation", { name: "Main" })).toBeVisible();
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expectAccessible(page);
    }
  });
}

test("axe finds nothing on the other articles", async ({ page }) => {
  for (const article of ARTICLES) {
    await page.goto(`/about-escort-babylon/${article}`);
    await expect(page.getByRole("heading", { name: "Sources" })).toBeVisible();
    await expectAccessible(page);
  }
});

test("axe finds nothing on the screens for what does not exist", async ({ page, complaints }) => {
  for (const screen of MISSING) {
    await open(page, screen);
    await expectAccessible(page);
  }
  await expectRefused(complaints, 404);
});

test("axe finds nothing on a phone, with all that can be opened open", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  for (const screen of SCREENS) {
    await open(page, screen);
    for (const entry of await page.getByRole("main").locator("details > summary").all()) await entry.click();
    await expectAccessible(page);
  }
});

test("the filter's answers are announced, and so is that nothing matches", async ({ page }) => {
  await page.goto("/state/Texas");
  const filter = page.getByRole("searchbox", { name: "Filter cities" });
  await filter.fill("zzz");
  await expect(page.getByRole("search").getByRole("status")).toHaveText(/^No results/);
  await expectAccessible(page);
});

test("where less motion is asked for, nothing moves by itself", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/");
  const link = page.getByRole("main").getByRole("link", { name: "Texas" });
  await expect(link).toHaveCSS("transition-duration", "0s");
});

test("what the keyboard reaches shows that it has the focus", async ({ page }) => {
  for (const path of ["/", "/signup"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    for (let stop = 1; stop <= 10; stop += 1) {
      await page.keyboard.press("Tab");
      await expect(page.locator(":focus"), `${path}, stop ${String(stop)}`).toHaveCSS("outline-style", "solid");
      await expect(page.locator(":focus")).toHaveCSS("outline-width", "3px");
    }
  }
});
