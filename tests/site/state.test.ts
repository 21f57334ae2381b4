import type { Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { citiesOf, STATES } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { waitForHydration, waitForPaint } from "../support/hydration";
import { scrollThrough } from "../support/layout-shifts";
import { boxOf, expectColumns } from "../support/layout";
import { expectScreen, follow } from "../support/screens";

// States without the menu header.
const HEADERS: Readonly<Partial<Record<string, string>>> = {
  Alabama: "plain",
  Alaska: "plain",
  Arizona: "plain",
  Oklahoma: "logo",
};

// Viewport widths and the columns of the grid of cities. A long list has two columns even on a phone.
const COLUMNS = {
  Alabama: [
    [320, 1],
    [768, 2],
    [1024, 3],
    [1280, 4],
  ],
  "New York": [
    [320, 2],
    [768, 2],
  ],
} as const;

async function openState(page: Page, state: string): Promise<void> {
  await page.goto(`/state/${encodeURIComponent(state)}`);
  await expectScreen(page, `Escorts in ${state}`);
}

function cardsOf(page: Page) {
  return page.getByRole("main").locator("[aria-label^='Cities in'] a[href^='/city/']");
}

test("All 50 states have title, heading, count, footer and header", async ({ page }) => {
  // Skips fifty view transitions.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/terms");
  expect(STATES).toHaveLength(50);
  for (const state of STATES) {
    await follow(page, `/state/${encodeURIComponent(state)}`);
    await expectScreen(page, `Escorts in ${state}`);
    await expect(page).toHaveTitle(`Colonnade Directory - Listings in ${state}`);
    const count = String(new Set(citiesOf(state)).size);
    await expect(page.getByText(/^Browse sample/)).toHaveText(
      `Browse sample escort profiles in ${count} cities across ${state}`,
    );
    await expect(page.getByRole("contentinfo")).toContainText(`Escorts in ${state} - 18+ only`);
    await expect(page.getByRole("banner")).toHaveAttribute("data-variant", HEADERS[state] ?? "menu");
    await expect(page.getByRole("banner").getByText("Menu")).toHaveCount(state in HEADERS ? 0 : 1);
  }
});

for (const [state, count] of [
  ["New York", 175],
  ["Alabama", 40],
  ["Oklahoma", 33],
  ["California", 371],
] as const) {
  test(`${state} has its texts, cities and sample venues`, async ({ page }) => {
    await openState(page, state);
    await runChecks([
      [
        "the texts name state and count",
        async () => {
          await expect(page).toHaveTitle(`Colonnade Directory - Listings in ${state}`);
          await expect(
            page.getByText(`Browse sample escort profiles in ${String(count)} cities across ${state}`, { exact: true }),
          ).toBeVisible();
          await expect(
            page.getByRole("contentinfo").getByText(`Escorts in ${state} - 18+ only`, { exact: true }),
          ).toBeVisible();
        },
      ],
      [
        "all cities are listed, with encoded nofollow links",
        async () => {
          await expect(cardsOf(page)).toHaveCount(count);
          const cards = await cardsOf(page).evaluateAll((anchors) =>
            anchors.map((anchor) => ({
              href: anchor.getAttribute("href"),
              rel: anchor.getAttribute("rel"),
              // Not innerText: deferred content is not laid out.
              text: anchor.textContent,
            })),
          );
          expect(cards).toEqual(
            citiesOf(state).map((city) => ({
              href: `/city/${encodeURIComponent(state)}/${encodeURIComponent(city)}`,
              rel: "nofollow",
              text: `${city} ${state} Browse Escorts`,
            })),
          );
        },
      ],
      [
        "eight sample venues are in two columns",
        async () => {
          const section = page.getByRole("region", { name: `About listings in ${state}` });
          await expect(section.getByText("What these pages show, and what they don’t.")).toBeVisible();
          const paragraphs = section.locator(".prose").getByRole("paragraph");
          expect([3, 4]).toContain(await paragraphs.count());
          await expect(paragraphs.locator("a[href='/']")).toHaveCount(1);

          await expect(section.getByRole("heading", { level: 3 })).toHaveCount(2);
          const lists = section.getByRole("list");
          await expect(lists).toHaveCount(2);
          const [left, right] = [await boxOf(lists.nth(0)), await boxOf(lists.nth(1))];
          expect(right.x).toBeGreaterThanOrEqual(left.x + left.width);
          expect(right.y).toBe(left.y);

          await expect(section.getByRole("listitem")).toHaveCount(8);
          for (const venue of await section.getByRole("listitem").all()) {
            const [name, badge, street, city, ...rest] = (await venue.innerText()).split("\n").filter(Boolean);
            expect(badge).toBe("Sample venue");
            expect(name).toMatch(/\b(Sample|Placeholder|Specimen)\b/);
            expect(street).toMatch(/^0+ \w+ \w+$/);
            expect(citiesOf(state).map((known) => `${known}, ${state}`)).toContain(city);
            expect(rest).toEqual([]);
          }
        },
      ],
    ]);
  });
}

for (const [state, widths] of Object.entries(COLUMNS)) {
  test(`The grid of ${state} has columns by viewport width`, async ({ page }) => {
    await openState(page, state);
    const grid = page.getByRole("region", { name: "Cities in" }).getByRole("list").last();
    for (const [width, columns] of widths) {
      await page.setViewportSize({ width, height: 800 });
      await expectColumns(grid, columns);
    }
  });
}

for (const [state, label] of [
  ["Texas", "Houston"],
  ["Alaska", "Anchorage"],
  ["Delaware", "Wilmington"],
  ["Tennessee", "Memphis"],
] as const) {
  test(`The map of ${state} shows its cities, and fits a phone`, async ({ page }) => {
    for (const width of [320, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      await openState(page, state);
      const map = page.getByRole("img", { name: `Map of ${state} with its ${String(citiesOf(state).length)} cities` });
      await expect(map).toBeVisible();
      const points = await map
        .locator("path")
        .evaluateAll((paths) => paths.map((path) => path.getAttribute("d") ?? ""));
      expect(points.join("").match(/h0/g)).toHaveLength(citiesOf(state).length);
      const names = map.locator("text");
      await expect(names.filter({ hasText: label })).toHaveCount(1);
      // Names outside of the viewport are unreadable.
      const visible = names.filter({ visible: true });
      const boxes = await Promise.all((await visible.all()).map((name) => boxOf(name)));
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
  });
}

test("The largest cities are links beside the map", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await openState(page, "California");
  const links = page.getByRole("list", { name: "Largest cities" }).getByRole("link");
  await expect(links).toHaveCount(6);
  for (const link of await links.all()) expect((await boxOf(link)).height).toBeGreaterThanOrEqual(44);
  await links.filter({ hasText: "Los Angeles" }).click();
  await expectScreen(page, "Los Angeles, California");
});

test("The largest cities keep their words whole on a tablet", async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  for (const state of ["Alabama", "Pennsylvania"]) {
    await openState(page, state);
    const broken = await page.getByRole("list", { name: "Largest cities" }).evaluate((list) => {
      const texts = document.createTreeWalker(list, NodeFilter.SHOW_TEXT);
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
    expect(broken, state).toEqual([]);
  }
});

test("A card leads to the top of the new page", async ({ page }) => {
  await openState(page, "New York");
  await cardsOf(page).last().click();
  await expectScreen(page, "Yonkers, New York");
  await expect(page).toHaveURL("/city/New%20York/Yonkers");
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});

test.describe("A long list", () => {
  test("groups cities by letter, with links to each letter", async ({ page }) => {
    await openState(page, "California");
    const letters = page.getByRole("navigation", { name: "Cities by letter" }).getByRole("link");
    const names = await letters.allInnerTexts();
    expect(names).toEqual([...new Set(citiesOf("California").map((city) => city.charAt(0)))]);
    await expect(page.getByRole("heading", { level: 2, name: /^[A-Z]$/ })).toHaveText(names);
    await letters.filter({ hasText: /^S$/ }).click();
    await expect(page).toHaveURL("/state/California#cities-s");
    const heading = page.getByRole("heading", { level: 2, name: "S", exact: true });
    await expect(heading).toBeInViewport();
    await expect(heading).toBeFocused();
    // The sticky letter navigation does not cover its target.
    await expect(letters.first()).toBeInViewport();
    const [navigation, target] = [
      await boxOf(page.getByRole("navigation", { name: "Cities by letter" })),
      await boxOf(heading),
    ];
    expect(target.y).toBeGreaterThanOrEqual(navigation.y + navigation.height);
  });

  test("marks the letter in view, and leads back to the top", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openState(page, "California");
    const current = page.getByRole("navigation", { name: "Cities by letter" }).locator("[aria-current]");
    await expect(current).toHaveCount(0);
    await page.getByRole("heading", { level: 2, name: "S", exact: true }).evaluate((heading) => {
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
  });

  // In a high window, the end of the page keeps the last letters from reaching the top.
  for (const [width, height] of [
    [1280, 800],
    [320, 640],
    [1280, 2400],
  ] as const) {
    test(`marks each letter that was chosen: ${String(width)}x${String(height)}`, async ({ page }) => {
      await page.setViewportSize({ width, height });
      await openState(page, "California");
      const strip = page.getByRole("navigation", { name: "Cities by letter" });
      const letters = await strip.getByRole("link").allInnerTexts();
      const current = strip.locator("[aria-current]");
      // Down the page, then up.
      for (const letter of [...letters, ...letters.toReversed()]) {
        await strip.getByRole("link", { name: letter, exact: true }).click();
        await expect(current).toHaveText(letter);
        const heading = page.getByRole("heading", { level: 2, name: letter, exact: true });
        const first = await boxOf(heading.locator("xpath=..").getByRole("link").first());
        const bar = await boxOf(strip);
        expect(first.y, `first city of ${letter}`).toBeGreaterThanOrEqual(bar.y + bar.height);
      }
    });
  }

  test("leads to a letter below names of two lines", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    // Before these letters, rows become higher than estimated as soon as they are near the viewport.
    for (const letter of ["F", "M", "S", "U"]) {
      await openState(page, "California");
      await waitForHydration(page);
      const strip = page.getByRole("navigation", { name: "Cities by letter" });
      await strip.getByRole("link", { name: letter, exact: true }).click();
      const heading = page.getByRole("heading", { level: 2, name: letter, exact: true });
      await expect(heading).toBeFocused();
      await waitForPaint(page);
      await waitForPaint(page);
      const bar = await boxOf(strip);
      expect((await boxOf(heading)).y - bar.y - bar.height, `space above ${letter}`).toBeLessThan(16);
      await expect(strip.locator("[aria-current]")).toHaveText(letter);
    }
  });

  test("takes at most a third of the height of a list of cards", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openState(page, "California");
    // Rows that were in view keep their height.
    await scrollThrough(page);
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(11_935);
  });

  test("starts at the first match of the filter", async ({ page }) => {
    await openState(page, "California");
    await page.evaluate(() => {
      scrollTo({ top: 3000, behavior: "instant" });
    });
    await page.getByRole("searchbox", { name: "Filter cities" }).fill("san");
    await expect(cardsOf(page).first()).toBeInViewport();
  });

  test("has nothing behind the filter of a phone", async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await openState(page, "California");
    await page.evaluate(() => {
      scrollTo({ top: 6000, behavior: "instant" });
    });
    const search = page.getByRole("search");
    await search.getByRole("searchbox").pressSequentially("rancho");
    await expect(search.getByRole("status")).toHaveText(/of 371 cities$/);
    await waitForPaint(page);
    const bar = await boxOf(search);
    expect((await boxOf(cardsOf(page).first())).y).toBeGreaterThanOrEqual(bar.y + bar.height);
  });

  test("has no letters if it is short", async ({ page }) => {
    await openState(page, "Delaware");
    await expect(cardsOf(page)).toHaveCount(8);
    await expect(page.getByRole("navigation", { name: "Cities by letter" })).toHaveCount(0);
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

test.describe("The filter", () => {
  test("narrows the cities while typing and announces the count", async ({ page }) => {
    await openState(page, "New York");
    const filter = page.getByRole("searchbox", { name: "Filter cities" });
    const status = page.getByRole("search").getByRole("status");
    await filter.pressSequentially("new");
    await expect(cardsOf(page).locator("strong")).toHaveText(
      citiesOf("New York").filter((city) => /\bnew/i.test(city)),
    );
    await expect(status).toHaveText(/^\d+ of 175 cities$/);
    await filter.pressSequentially(" york");
    await expect(cardsOf(page)).toHaveText("New York New York Browse Escorts");
    await filter.fill("zzz");
    await expect(cardsOf(page)).toHaveCount(0);
    await expect(status).toHaveText("No results: no city in New York matches “zzz”.");
    await filter.fill("");
    await expect(cardsOf(page)).toHaveCount(175);
    await expect(status).toBeEmpty();
  });

  test("lists matches at the start of a word first", async ({ page }) => {
    await openState(page, "California");
    await page.getByRole("searchbox", { name: "Filter cities" }).fill("san");
    const found = citiesOf("California").filter((city) => /san/i.test(city));
    const begun = found.filter((city) => /\bsan/i.test(city));
    expect(begun.length).toBeLessThan(found.length);
    await expect(cardsOf(page).locator("strong")).toHaveText([
      ...begun,
      ...found.filter((city) => !begun.includes(city)),
    ]);
  });

  test("ignores accents and apostrophes", async ({ page }) => {
    await openState(page, "California");
    await page.getByRole("searchbox", { name: "Filter cities" }).fill("la canada");
    await expect(cardsOf(page).locator("strong")).toHaveText("La Cañada Flintridge");
    await openState(page, "Hawaii");
    await page.getByRole("searchbox", { name: "Filter cities" }).fill("ewa");
    await expect(cardsOf(page).locator("strong")).toHaveText("‘Ewa Beach");
  });
});
