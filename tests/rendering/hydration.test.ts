import type { Boot } from "@colonnade/kit/shell";

import { expect, test } from "../support/fixtures";
import { SCREENS } from "../support/screens";
import { countElements, hold, markElements, takenOver } from "./hydration";

const SHELL = /\/assets\/shell\/.*\.js$/;

// A city's ads are drawn for each visitor, in the place of 'Loading ads...'.
for (const { name, path, heading } of SCREENS.filter((screen) => screen.name !== "a city")) {
  test(`${name}: every element the document came with is kept`, async ({ page }) => {
    const startShell = await hold(page, SHELL);
    await page.goto(path, { waitUntil: "commit" });
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
    const marked = await markElements(page);
    expect(marked).toBeGreaterThan(10);
    startShell();
    await takenOver(page);
    expect((await countElements(page)).kept).toBe(marked);
  });
}

test("the page is kept while its code is late and the frame around it changes", async ({ page }) => {
  const startShell = await hold(page, SHELL);
  const startSection = await hold(page, /\/assets\/legal\/.*\.js$/);
  await page.goto("/terms", { waitUntil: "commit" });
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Terms of use");
  const marked = await markElements(page);
  // From then on the shell listens.
  const listening = page.waitForRequest(/\/assets\/signup\//);
  startShell();
  await listening;
  // The dialog that opens is an update of the shell's state.
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog", { name: "Create your account" })).toBeVisible();
  expect((await countElements(page)).kept).toBe(marked);
  await page.keyboard.press("Escape");
  // So would be a jump within the page, and the way back from it, if the router heard of them.
  await page.getByRole("main").locator('a[href^="#"]').first().click();
  await expect(page).toHaveURL(/#/);
  // The document itself is not loaded: its own section is awaited.
  await page.goBack({ waitUntil: "commit" });
  await expect(page).not.toHaveURL(/#/);
  expect((await countElements(page)).kept).toBe(marked);
  startSection();
  await takenOver(page);
  expect((await countElements(page)).kept).toBe(marked);
});

test("a page whose code never comes stays to be read, and its links and forms work", async ({ page, complaints }) => {
  await page.route(/\/assets\/legal\/.*\.js$/, (route) => route.abort());
  const listening = page.waitForRequest(/\/assets\/signup\//);
  await page.goto("/terms");
  await listening;
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Terms of use");
  await expect(page.getByRole("main").getByRole("heading", { level: 2 }).first()).toBeVisible();
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog", { name: "Create your account" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.getByRole("contentinfo").getByRole("link", { name: "About" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("About Colonnade Directory");
  complaints.errors.length = 0;
});

test("the boot payload carries the page's data, and the page asks for none", async ({ page }) => {
  await page.goto("/state/Wyoming");
  await takenOver(page);
  const boot = JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot;
  expect(boot.view).toMatchObject({ kind: "page" });
});
