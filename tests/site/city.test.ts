import type { Locator, Page } from "@playwright/test";

import { citiesOf } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";
import { expectScreen, follow } from "../support/screens";

const HOUSTON = "/city/Texas/Houston";

// What the dialog says first where something of a sample opened it.
const SAMPLES = "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";

function cardsOf(page: Page): Locator {
  return page.getByRole("main").getByRole("article");
}

function featuredOf(page: Page): Locator {
  return cardsOf(page).filter({ hasText: "most popular" });
}

async function openHouston(page: Page): Promise<void> {
  await page.goto(HOUSTON);
  await expectScreen(page, "Houston, Texas");
  await expect(cardsOf(page).first()).toBeVisible();
}

test("the heading is '{city}, {state}', with names of any letters", async ({ page }) => {
  for (const [path, heading] of [
    ["/city/New%20York/New%20York", "New York, New York"],
    ["/city/Missouri/O'Fallon", "O'Fallon, Missouri"],
    ["/city/Missouri/O%27Fallon", "O'Fallon, Missouri"],
    ["/city/California/La%20Ca%C3%B1ada%20Flintridge", "La Cañada Flintridge, California"],
    ["/city/Hawaii/%E2%80%98Ewa%20Beach", "‘Ewa Beach, Hawaii"],
  ] as const) {
    await page.goto(path);
    await expectScreen(page, heading);
    await expect(cardsOf(page).first()).toBeVisible();
  }
});

test("a 'Next Page →' button opens the dialog, which first says that the ads are samples", async ({ page }) => {
  await openHouston(page);
  await page.getByRole("button", { name: "Next Page →" }).click();
  await expect(page.getByRole("dialog").getByRole("paragraph").first()).toHaveText(SAMPLES);
});

test.describe("the list", () => {
  test("it has 30 to 45 ads, without repeats, whichever city draws it", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await openHouston(page);
    for (const city of citiesOf("Texas").slice(0, 20)) {
      await follow(page, `/city/Texas/${encodeURIComponent(city)}`);
      await expectScreen(page, `${city}, Texas`);
      const titles = await cardsOf(page).getByRole("heading", { level: 2 }).allInnerTexts();
      expect(titles.length).toBeGreaterThanOrEqual(30);
      expect(titles.length).toBeLessThanOrEqual(45);
      expect(new Set(titles).size).toBe(titles.length);
    }
  });

  test("the 2 featured ads come first and are labelled 'most popular'", async ({ page }) => {
    await openHouston(page);
    await expect(featuredOf(page)).toHaveCount(2);
    for (const index of [0, 1]) await expect(cardsOf(page).nth(index).getByText("most popular")).toBeVisible();
  });

  test("the rest are drawn from the 50 regular ads", async ({ page }) => {
    await openHouston(page);
    const links = cardsOf(page).getByRole("heading").getByRole("link");
    await expect(links).toHaveCount((await cardsOf(page).count()) - 2);
    for (const href of await links.evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")))) {
      const id = Number(/^\/city\/Texas\/Houston\/ad\/(\d+)$/.exec(href ?? "")?.[1]);
      expect(id).toBeGreaterThanOrEqual(4251);
      expect(id).toBeLessThanOrEqual(4300);
    }
  });
});

test.describe("an ad card", () => {
  test("it has title, age badge, tag W4M, description, 'Reply to Ad 💬' and 'Report this ad'", async ({ page }) => {
    await openHouston(page);
    const shown = await cardsOf(page).evaluateAll((cards) =>
      cards.map((card) => (card as HTMLElement).innerText.split(/\s*\n\s*/)),
    );
    for (const lines of shown) {
      const [title, ...rest] = lines.filter((line) => line !== "most popular");
      expect(title).toMatch(/^\w/);
      expect(rest.slice(0, 3)).toEqual(["Sample ad", expect.stringMatching(/^Age 2[1-9]$/), "W4M"]);
      // The description keeps its line breaks.
      expect(rest.slice(3, -2).length).toBeGreaterThanOrEqual(2);
      expect(rest.slice(-2)).toEqual(["Reply to Ad 💬", "Report this ad"]);
    }
  });

  test("'Reply to Ad 💬' opens the dialog, which first says that the ads are samples", async ({ page }) => {
    await openHouston(page);
    for (const card of [cardsOf(page).first(), cardsOf(page).last()]) {
      await card.getByRole("button", { name: "Reply to Ad 💬" }).click();
      await expect(page.getByRole("dialog").getByRole("paragraph").first()).toHaveText(SAMPLES);
      await page.keyboard.press("Escape");
    }
  });

  test("a regular card's title links to its ad page", async ({ page }) => {
    await openHouston(page);
    const link = cardsOf(page).nth(2).getByRole("heading").getByRole("link");
    const title = await link.innerText();
    await link.click();
    await expectScreen(page, title);
    await expect(page).toHaveURL(/\/city\/Texas\/Houston\/ad\/\d{4}$/);
  });

  test("featured ads have no page, and show two photos on the left", async ({ page }) => {
    await openHouston(page);
    for (const card of await featuredOf(page).all()) {
      await expect(card.getByRole("heading").getByRole("link")).toHaveCount(0);
      const photos = card.getByRole("img");
      await expect(photos).toHaveCount(2);
      const text = await boxOf(card.getByRole("heading"));
      for (const photo of await photos.all()) {
        const box = await boxOf(photo);
        expect(box.x + box.width).toBeLessThanOrEqual(text.x);
        await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      }
    }
  });

  test("'Report this ad' leads to help: a regular ad's on its own page, which names it, a featured one's on this page", async ({
    page,
  }) => {
    await openHouston(page);
    const title = await cardsOf(page).nth(2).getByRole("heading").innerText();
    await cardsOf(page)
      .first()
      .getByRole("link", { name: /^Report this ad: / })
      .click();
    await expect(page.getByRole("heading", { name: "Report an ad" })).toBeInViewport();
    await expect(page).toHaveURL(`${HOUSTON}#report`);
    await cardsOf(page)
      .nth(2)
      .getByRole("link", { name: `Report this ad: ${title}` })
      .click();
    await expectScreen(page, title);
    await expect(page.getByRole("heading", { name: "Report this ad" })).toBeInViewport();
    const help = page.getByRole("region", { name: "Report this ad" });
    const id = /(\d+)#report$/.exec(page.url())?.[1] ?? "none";
    await expect(help.getByRole("link").first()).toHaveAttribute(
      "href",
      `mailto:contact@example.com?subject=${encodeURIComponent(`Report ad ${id} in Houston, Texas`)}`,
    );
    for (const target of ["tel:911", "tel:+18883737888", "tel:+18008435678"])
      await expect(help.locator(`a[href="${target}"]`)).toHaveCount(1);
  });

  test("regular ads show no photos", async ({ page }) => {
    await openHouston(page);
    await expect(page.getByRole("main").getByRole("img")).toHaveCount(4);
  });
});
