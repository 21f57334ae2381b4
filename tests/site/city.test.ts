import type { Locator, Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";
import { expectScreen } from "../support/screens";

const HOUSTON = "/city/Texas/Houston";

function cardsOf(page: Page): Locator {
  return page.getByRole("main").getByRole("article");
}

function nearbyOf(page: Page): Locator {
  return page.getByRole("list", { name: "Nearby cities" }).getByRole("link");
}

/** Opens the page of Houston. Returns the titles of its ads. */
async function openHouston(page: Page): Promise<string[]> {
  await page.goto(HOUSTON);
  return titlesOf(page);
}

async function titlesOf(page: Page): Promise<string[]> {
  await expectScreen(page, "Houston, Texas");
  await expect(cardsOf(page).first()).toBeVisible();
  return cardsOf(page).getByRole("heading").allInnerTexts();
}

async function expectFeaturedPhotos(page: Page): Promise<void> {
  for (const card of await cardsOf(page).filter({ hasText: "most popular" }).all()) {
    const photos = card.getByRole("img");
    await expect(photos).toHaveCount(2);
    const text = await boxOf(card.getByRole("heading"));
    for (const photo of await photos.all()) {
      const box = await boxOf(photo);
      expect(box.x + box.width).toBeLessThanOrEqual(text.x);
      await expect.poll(() => photo.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
    }
  }
}

async function expectAbstractArt(page: Page): Promise<void> {
  const images = page.locator("img");
  await expect(images).toHaveCount(4);
  for (const image of await images.all()) {
    await expect(image).toHaveAttribute("src", /^\/assets\/directory\/[^/]+\/900[12]-[ab]\.\w+\.svg$/);
    const drawing = await page.request.get((await image.getAttribute("src")) ?? "");
    expect(drawing.headers()["content-type"]).toBe("image/svg+xml");
    expect(await drawing.text()).toContain("SAMPLE");
  }
}

test("Ad cards show their content", async ({ page }) => {
  await openHouston(page);
  await runChecks([
    [
      "the description of a regular card flows as one paragraph",
      async () => {
        expect((await cardsOf(page).nth(2).innerText()).split(/\s*\n\s*/)).toHaveLength(7);
      },
    ],
    ["featured ads have two photos on the left", () => expectFeaturedPhotos(page)],
    ["photos are abstract art, and say so", () => expectAbstractArt(page)],
    [
      "nearby cities are in view",
      async () => {
        expect((await boxOf(nearbyOf(page).first())).y).toBeLessThan(800);
      },
    ],
  ]);
});

test("The first title and nearby cities fit a phone, and its labels two lines of a small one", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  // Names of three, two and one lines.
  for (const path of ["California/Rancho%20Santa%20Margarita", "North%20Carolina/Winston-Salem", "Texas/Houston"]) {
    await page.goto(`/city/${path}`);
    await expect(cardsOf(page).first().getByRole("heading")).toBeInViewport({ ratio: 1 });
  }
  expect((await boxOf(nearbyOf(page).first())).y).toBeLessThan(844);
  await page.setViewportSize({ width: 320, height: 640 });
  const labels = cardsOf(page).first().locator("p").first();
  await expect(labels).toContainText("W4M");
  const tops = await labels.evaluate((line) => [...line.children].map((label) => label.getBoundingClientRect().top));
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(36);
});

test("Nearby cities fill two rows at 768 px", async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto("/city/California/Los%20Angeles");
  await expect(nearbyOf(page)).toHaveCount(6);
  const tops = await Promise.all((await nearbyOf(page).all()).map(async (link) => (await boxOf(link)).y));
  expect(tops.map((top) => tops.filter((other) => other === top).length)).toEqual([3, 3, 3, 3, 3, 3]);
});

test("A reload, Back and another document keep the list and its selection", async ({ page }) => {
  const list = await openHouston(page);
  await page.reload();
  expect(await titlesOf(page)).toEqual(list);
  const form = page.getByRole("search", { name: "Ads" });
  await form.getByLabel("Age").selectOption("24 to 26");
  const selected = await titlesOf(page);
  expect(selected.length).toBeLessThan(list.length);
  await cardsOf(page).getByRole("heading").getByRole("link").last().click();
  await expectScreen(page, selected.at(-1) ?? "");
  await page.goBack();
  await expect(form.getByLabel("Age")).toHaveValue("24-26");
  expect(await titlesOf(page)).toEqual(selected);
  await form.getByLabel("Age").selectOption("All");
  await page.goto("/healthz");
  await page.goBack();
  expect(await titlesOf(page)).toEqual(list);
});

test("'Report this ad' leads to help for regular and featured ads", async ({ page }) => {
  await openHouston(page);
  const report = (card: Locator): Locator => card.getByRole("link", { name: /^Report this ad: / });
  await report(cardsOf(page).first()).click();
  await expect(page.getByRole("heading", { name: "Report an ad" })).toBeInViewport();
  await expect(page).toHaveURL(`${HOUSTON}#report`);
  await report(cardsOf(page).nth(2)).click();
  await expect(page.getByRole("heading", { name: "Report this ad" })).toBeInViewport();
});
