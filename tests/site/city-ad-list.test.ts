import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";

const HOUSTON = "/city/Texas/Houston";
const KEY = "ads:/city/Texas/Houston";

async function listOf(page: Page, heading: string): Promise<string[]> {
  await expectScreen(page, heading);
  const ads = page.getByRole("main").getByRole("article");
  await expect(ads.first()).toBeVisible();
  return ads.getByRole("heading").allInnerTexts();
}

async function storedIn(page: Page, key: string): Promise<string | null> {
  return page.evaluate((name) => sessionStorage.getItem(name), key);
}

test("A reload shows the same list", async ({ page }) => {
  await page.goto(HOUSTON);
  const list = await listOf(page, "Houston, Texas");
  await page.reload();
  expect(await listOf(page, "Houston, Texas")).toEqual(list);
});

test("Back navigation shows the same list", async ({ page }) => {
  await page.goto(HOUSTON);
  const list = await listOf(page, "Houston, Texas");
  await page.getByRole("main").getByRole("article").getByRole("heading").getByRole("link").last().click();
  await expectScreen(page, list.at(-1) ?? "");
  await page.goBack();
  expect(await listOf(page, "Houston, Texas")).toEqual(list);
  await page.goto("/terms");
  await page.goBack();
  expect(await listOf(page, "Houston, Texas")).toEqual(list);
});

test("Session storage keeps one list per city", async ({ page }) => {
  await page.goto("/city/Missouri/O'Fallon");
  const missouri = await listOf(page, "O'Fallon, Missouri");
  await follow(page, "/city/Illinois/O'Fallon");
  const illinois = await listOf(page, "O'Fallon, Illinois");
  // Two random draws of 30 to 45 ads are never equal.
  expect(illinois).not.toEqual(missouri);
  expect(await page.evaluate(() => Object.keys(sessionStorage).sort())).toEqual([
    "ads:/city/Illinois/O'Fallon",
    "ads:/city/Missouri/O'Fallon",
  ]);
  await follow(page, "/city/Missouri/O'Fallon");
  expect(await listOf(page, "O'Fallon, Missouri")).toEqual(missouri);
});

const INVALID_LISTS = [
  ["invalid JSON", "{[rubbish"],
  ["an empty string", ""],
  ["another type", '{"ads":[9001,9002]}'],
  ["an empty list", "[]"],
  ["a short list", "[9001,9002,4251]"],
  ["a list without the featured ads", JSON.stringify(Array.from({ length: 30 }, (_, index) => 4251 + index))],
  ["duplicate ads", JSON.stringify([9001, 9002, ...Array.from({ length: 30 }, () => 4251)])],
  ["unknown ads", JSON.stringify([9001, 9002, ...Array.from({ length: 30 }, (_, index) => 5000 + index)])],
  ["markup", JSON.stringify([9001, 9002, ...Array.from({ length: 30 }, () => "<img src=x onerror=console.error(1)>")])],
] as const;

test("An invalid stored list is replaced by a new draw", async ({ page }) => {
  for (const [name, stored] of INVALID_LISTS) {
    await test.step(name, async () => {
      await page.goto("/terms");
      await page.evaluate(
        ([key, value]) => {
          sessionStorage.setItem(key, value);
        },
        [KEY, stored] as const,
      );
      await page.goto(HOUSTON);
      const list = await listOf(page, "Houston, Texas");
      expect(list.length).toBeGreaterThanOrEqual(30);
      expect(new Set(list).size).toBe(list.length);
      expect(await storedIn(page, KEY)).not.toBe(stored);
      await page.reload();
      expect(await listOf(page, "Houston, Texas")).toEqual(list);
    });
  }
});

test("Full storage draws a list without keeping it", async ({ page }) => {
  await page.goto("/terms");
  await page.evaluate(() => {
    // Halving the size fills storage to the last character.
    for (let size = 4 * 1024 * 1024, index = 0; size >= 1; index += 1) {
      try {
        sessionStorage.setItem(`filling-${String(index)}`, "x".repeat(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  });
  await page.goto(HOUSTON);
  expect((await listOf(page, "Houston, Texas")).length).toBeGreaterThanOrEqual(30);
  expect(await storedIn(page, KEY)).toBeNull();
  await page.getByRole("main").getByRole("article").getByRole("heading").getByRole("link").first().click();
  await expect(page.getByText(/^Posted in/)).toHaveText("Posted in Houston, Texas");
});

test("Denied storage draws a list", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(window, "sessionStorage", {
      get() {
        throw new DOMException("Access is denied for this document.", "SecurityError");
      },
    });
  });
  await page.goto(HOUSTON);
  expect((await listOf(page, "Houston, Texas")).length).toBeGreaterThanOrEqual(30);
  await page.getByRole("button", { name: "Next Page →" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
});
