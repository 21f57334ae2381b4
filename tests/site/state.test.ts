import type { Locator, Page } from "@playwright/test";

import { citiesOf } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { waitForHydration, waitForPaint } from "../support/hydration";
import { scrollThrough } from "../support/layout-shifts";
import { boxOf, expectColumns } from "../support/layout";
import { expectScreen } from "../support/screens";

async function openState(page: Page, state: string): Promise<void> {
  await page.goto(`/state/${encodeURIComponent(state)}`);
  await expectScreen(page, `Escorts in ${state}`);
  await waitForHydration(page);
}

function cardsOf(page: Page) {
  return page.getByRole("main").locator("[aria-label^='Cities in'] a[href^='/city/']");
}

/** The words that are broken between two lines. */
function brokenWordsIn(list: Locator): Promise<string[]> {
  return list.evaluate((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const words: string[] = [];
    for (let text = texts.nextNode(); text; text = texts.nextNode())
      for (const { 0: word, index } of (text.textContent ?? "").matchAll(/\S+/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (range.getClientRects().length > 1) words.push(word);
      }
    return words;
  });
}

test("The lists of a state have columns by viewport width, and whole words", async ({ page }) => {
  await openState(page, "Alabama");
  const grid = page.getByRole("region", { name: "Cities in" }).getByRole("list").last();
  const largest = page.getByRole("list", { name: "Largest cities" });
  for (const [width, columns] of [
    [320, 1],
    [1024, 3],
    [1280, 4],
    [768, 2],
  ] as const) {
    await page.setViewportSize({ width, height: 1024 });
    await expectColumns(grid, columns);
  }
  expect(await brokenWordsIn(largest)).toEqual([]);
  const venues = page.getByRole("region", { name: "About the ads in Alabama" }).getByRole("list");
  const [left, right] = [await boxOf(venues.nth(0)), await boxOf(venues.nth(1))];
  expect(right.x).toBeGreaterThanOrEqual(left.x + left.width);
  expect(right.y).toBe(left.y);

  await openState(page, "Pennsylvania");
  expect(await brokenWordsIn(largest)).toEqual([]);
});

test("A dot of the map is a link with its city's name", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await openState(page, "Texas");
  const main = page.getByRole("main");
  const pin = main.locator("figure a");
  await test.step("The focus of a list marks its dot", async () => {
    await main
      .getByRole("list", { name: "Largest cities" })
      .getByRole("link", { name: /^El Paso/ })
      .focus();
    await expect(pin).toHaveAttribute("href", "/city/Texas/El%20Paso");
    // The map has its name.
    await expect(pin).toHaveText("");
    await expect(pin).toHaveAttribute("tabindex", "-1");
  });
  const dot = await boxOf(pin);
  await test.step("A pointer marks the nearest dot, and a click opens its city", async () => {
    const other = await boxOf(main.getByRole("img", { name: /^Map of Texas/ }));
    await page.mouse.move(other.x + other.width - 4, other.y + other.height - 4);
    await expect(pin).toHaveCount(0);
    await page.mouse.move(dot.x + dot.width / 2, dot.y + dot.height / 2);
    await expect(pin).toHaveAttribute("href", "/city/Texas/El%20Paso");
    await page.mouse.click(dot.x + dot.width / 2, dot.y + dot.height / 2);
    await expectScreen(page, "El Paso, Texas");
  });
});

test.describe("On a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("the first touch of a map names a city, and the second opens it", async ({ page }) => {
    await openState(page, "California");
    const pin = page.getByRole("main").locator("figure a");
    const touch = async (name: Locator, away = 0): Promise<void> => {
      const box = await boxOf(name);
      await page.touchscreen.tap(box.x + box.width / 2 + away, box.y + box.height / 2);
    };
    const names = page.locator("figure text").filter({ visible: true });
    for (const name of await names.all()) {
      await touch(name);
      const city = (await name.textContent()) ?? "";
      await expect(pin).toHaveAttribute("href", `/city/California/${encodeURIComponent(city)}`);
    }
    const fresno = names.filter({ hasText: "Fresno" });
    await touch(fresno, 60);
    await expect(pin, "a dot beside the name").toHaveText(/./);
    await touch(fresno);
    await expect(pin).toHaveAttribute("href", "/city/California/Fresno");
    await touch(fresno);
    await expectScreen(page, "Fresno, California");
  });
});

// A wide state and a high one. The unit tests of the map's data check each state.
test("The map of a state shows its cities, and fits a phone", async ({ page }) => {
  for (const [state, label] of [
    ["Texas", "Houston"],
    ["Delaware", "Wilmington"],
    ...(process.env.SOAK
      ? ([
          ["Alaska", "Anchorage"],
          ["Tennessee", "Memphis"],
        ] as const)
      : []),
  ] as const) {
    await openState(page, state);
    const map = page.getByRole("img", { name: `Map of ${state} with its ${String(citiesOf(state).length)} cities` });
    const names = map.locator("text");
    await expect(names.filter({ hasText: label, visible: true })).toHaveCount(1);
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await expect(map).toBeVisible();
      // Names outside of the viewport are unreadable.
      const visible = await names.filter({ visible: true }).all();
      const boxes = await Promise.all(visible.map((name) => boxOf(name)));
      expect(boxes.length).toBeGreaterThanOrEqual(2);
      for (const [index, box] of boxes.entries()) {
        expect(box.x).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width).toBeLessThanOrEqual(width);
        for (const other of boxes.slice(0, index)) {
          const isBeside = box.x + box.width <= other.x || other.x + other.width <= box.x;
          expect(isBeside || Math.abs(box.y - other.y) > 10, `names ${JSON.stringify([box, other])} overlap`).toBe(
            true,
          );
        }
      }
    }
  }
});

test.describe("A long list", () => {
  test("marks the letter in view, and leads back to the top", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openState(page, "California");
    const current = page.getByRole("navigation", { name: "Cities by letter" }).locator("[aria-current]");
    await expect(current).toHaveCount(0);
    await page.getByRole("heading", { level: 3, name: "S", exact: true }).evaluate((heading) => {
      heading.scrollIntoView();
    });
    await expect(current).toHaveText("S");
    await expect(current).toBeInViewport({ ratio: 1 });
    await page.emulateMedia({ forcedColors: "active" });
    const edges = await page
      .getByRole("navigation", { name: "Cities by letter" })
      .getByRole("link")
      .evaluateAll((links) => new Set(links.map((link) => getComputedStyle(link).borderBlockEndColor)).size);
    expect(edges, "colors of the lines below the letters").toBe(2);
    await page.emulateMedia({ forcedColors: "none" });
    await page.getByRole("link", { name: "Top ↑" }).click();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    const first = page.getByRole("navigation", { name: "Cities by letter" }).getByRole("link").first();
    await expect.poll(async () => (await boxOf(first)).x).toBeGreaterThanOrEqual(0);

    // Even on a phone.
    await expectColumns(page.getByRole("region", { name: "Cities in" }).getByRole("list").last(), 2);
    await test.step("takes at most a third of the height of a list of cards", async () => {
      // Rows that were in view keep their height.
      await scrollThrough(page);
      expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(11_935);
    });
  });

  // In a high window, the end of the page keeps the last letters from reaching the top.
  for (const [width, height] of [
    [320, 640],
    [1280, 2400],
    ...(process.env.SOAK ? ([[1280, 800]] as const) : []),
  ] as const) {
    test(`marks each letter that was chosen: ${String(width)}x${String(height)}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await openState(page, "California");
      const strip = page.getByRole("navigation", { name: "Cities by letter" });
      const all = await strip.getByRole("link").allInnerTexts();
      const some = all.filter((_, index) => index % 9 === 0 || index > all.length - 3);
      const letters = process.env.SOAK ? all : some;
      const current = strip.locator("[aria-current]");
      // Down the page, then up.
      for (const letter of [...letters, ...letters.toReversed()]) {
        await strip.getByRole("link", { name: letter, exact: true }).click();
        await expect(current).toHaveText(letter);
        const heading = page.getByRole("heading", { level: 3, name: letter, exact: true });
        const first = heading.locator("xpath=..").getByRole("link").first();
        const room = async (): Promise<number> => {
          const { y, height } = await boxOf(strip);
          return (await boxOf(first)).y - y - height;
        };
        await expect.poll(room, `above the first city of ${letter}`).toBeGreaterThanOrEqual(0);
      }
    });
  }

  test("leads to a letter below names of two lines", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    // Before these letters, rows become higher than estimated as soon as they are near the viewport.
    for (const letter of process.env.SOAK ? ["F", "M", "S", "U"] : ["F", "U"]) {
      await openState(page, "California");
      const strip = page.getByRole("navigation", { name: "Cities by letter" });
      await strip.getByRole("link", { name: letter, exact: true }).click();
      const heading = page.getByRole("heading", { level: 3, name: letter, exact: true });
      await expect(heading).toBeFocused();
      await waitForPaint(page);
      await waitForPaint(page);
      const bar = await boxOf(strip);
      expect((await boxOf(heading)).y - bar.y - bar.height, `space above ${letter}`).toBeLessThan(16);
      await expect(strip.locator("[aria-current]")).toHaveText(letter);
    }
  });

  test("starts at the first match of the filter, below it", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openState(page, "California");
    await page.evaluate(() => {
      scrollTo({ top: 6000, behavior: "instant" });
    });
    const search = page.getByRole("search", { name: "Filter cities" });
    await search.getByRole("searchbox").pressSequentially("rancho");
    await expect(search.getByRole("status")).toHaveText(/of 371 cities$/);
    await waitForPaint(page);
    await expect(cardsOf(page).first()).toBeInViewport();
    const bar = await boxOf(search);
    expect((await boxOf(cardsOf(page).first())).y).toBeGreaterThanOrEqual(bar.y + bar.height);
  });
});

test("Back navigation restores filter, result and scroll position", async ({ page }) => {
  await openState(page, "California");
  await page.getByRole("searchbox", { name: "Filter cities" }).fill("san");
  const left = await cardsOf(page).allTextContents();
  expect(left.length).toBeGreaterThan(10);
  await page.evaluate(() => {
    scrollTo({ top: 400, behavior: "instant" });
  });
  await cardsOf(page).filter({ hasText: "San Diego" }).click();
  await expectScreen(page, "San Diego, California");
  await page.goBack();
  await expectScreen(page, "Escorts in California");
  await expect(page.getByRole("searchbox", { name: "Filter cities" })).toHaveValue("san");
  await expect(cardsOf(page)).toHaveText(left);
  await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
});
