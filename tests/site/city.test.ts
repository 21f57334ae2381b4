import type { Locator, Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { citiesOf } from "../support/cities";
import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";
import { expectScreen, follow } from "../support/screens";

const HOUSTON = "/city/Texas/Houston";

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

async function expectCardTexts(page: Page): Promise<void> {
  const shown = await cardsOf(page).evaluateAll((cards) =>
    cards.map((card) => (card as HTMLElement).innerText.split(/\s*\n\s*/)),
  );
  for (const lines of shown) {
    const [title, ...rest] = lines.filter((line) => line !== "most popular");
    expect(title).toMatch(/^\w/);
    expect(rest.slice(0, 3)).toEqual(["Sample ad", expect.stringMatching(/^Age 2[1-9]$/), "W4M"]);
    // The description flows as one paragraph.
    expect(rest.slice(3, -2)).toHaveLength(1);
    expect(rest.slice(-2)).toEqual(["Reply to Ad 💬", "Report this ad"]);
  }
}

async function expectFeaturedPhotos(page: Page): Promise<void> {
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
}

async function expectAbstractArt(page: Page): Promise<void> {
  const images = page.locator("img");
  await expect(images).toHaveCount(4);
  for (const image of await images.all()) {
    await expect(image).toHaveAttribute("src", /^\/assets\/directory\/[^/]+\/900[12]-[ab]\.\w+\.svg$/);
    await expect(image).toHaveAttribute("alt", "Abstract placeholder, not a photo");
    const drawing = await page.request.get((await image.getAttribute("src")) ?? "");
    expect(drawing.headers()["content-type"]).toBe("image/svg+xml");
    expect(await drawing.text()).not.toMatch(/<image|<script|href=/);
    expect(await drawing.text()).toContain("SAMPLE");
  }
}

test("The heading is '{city}, {state}' for names of any script", async ({ page }) => {
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

test("Pictures are inverted in the dark theme", async ({ page }) => {
  await openHouston(page);
  const picture = page.getByRole("main").getByRole("img", { name: "Abstract placeholder, not a photo" }).first();
  await expect(picture).toHaveCSS("filter", "none");
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(picture).toHaveCSS("filter", /^invert\(/);
});

test("Each city draws 30 to 45 ads without duplicates", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openHouston(page);
  for (const city of citiesOf("Texas").slice(0, 20)) {
    await follow(page, `/city/Texas/${encodeURIComponent(city)}`);
    await expectScreen(page, `${city}, Texas`);
    const titles = await cardsOf(page).getByRole("heading", { level: 3 }).allInnerTexts();
    expect(titles.length).toBeGreaterThanOrEqual(30);
    expect(titles.length).toBeLessThanOrEqual(45);
    expect(new Set(titles).size).toBe(titles.length);
  }
});

test("Ad cards show their content", async ({ page }) => {
  await openHouston(page);
  await runChecks([
    [
      "two featured ads come first, labeled 'most popular'",
      async () => {
        await expect(featuredOf(page)).toHaveCount(2);
        for (const index of [0, 1]) await expect(cardsOf(page).nth(index).getByText("most popular")).toBeVisible();
      },
    ],
    [
      "the other ads are regular and link to their page",
      async () => {
        const links = cardsOf(page).getByRole("heading").getByRole("link");
        await expect(links).toHaveCount((await cardsOf(page).count()) - 2);
        for (const href of await links.evaluateAll((anchors) => anchors.map((anchor) => anchor.getAttribute("href")))) {
          const id = Number(/^\/city\/Texas\/Houston\/ad\/(\d+)$/.exec(href ?? "")?.[1]);
          expect(id).toBeGreaterThanOrEqual(4251);
          expect(id).toBeLessThanOrEqual(4300);
        }
      },
    ],
    ["cards show title, badges, description and actions", () => expectCardTexts(page)],
    [
      "each card has one visible 'Sample ad' badge",
      async () => {
        for (const card of await cardsOf(page).all()) {
          const badge = card.getByText("Sample ad", { exact: true });
          await expect(badge).toHaveCount(1);
          await expect(badge).toBeVisible();
        }
      },
    ],
    ["featured ads have no page, and two photos on the left", () => expectFeaturedPhotos(page)],
    ["regular ads show no photos", () => expect(cardsOf(page).getByRole("img")).toHaveCount(4)],
    ["photos are abstract art, and say so", () => expectAbstractArt(page)],
  ]);
});

test("The regular ads can be filtered and sorted", async ({ page }) => {
  await openHouston(page);
  const all = page.getByRole("region", { name: /^All other ads/ });
  const ads = all.getByRole("article");
  const form = all.getByRole("search", { name: "Ads" });
  const total = await ads.count();
  const ages = async (): Promise<number[]> =>
    (await ads.getByText(/^Age \d\d$/).allInnerTexts()).map((text) => Number(text.slice(-2)));

  await form.getByLabel("Age").selectOption("24 to 26");
  for (const age of await ages()) expect([24, 25, 26]).toContain(age);
  await expect(form.getByRole("status")).toHaveText(`${String(await ads.count())} of ${String(total)} ads`);
  await form.getByLabel("Age").selectOption("All");
  await expect(ads).toHaveCount(total);

  await form.getByLabel("Sort").selectOption("Oldest first");
  expect(await ages()).toEqual((await ages()).sort((one, other) => other - one));

  await form.getByLabel("Keyword").fill("zzz");
  await expect(ads).toHaveCount(0);
  await expect(form.getByRole("status")).toHaveText("No ads match.");
  await expect(page.getByRole("region", { name: /^Featured/ }).getByRole("article")).toHaveCount(2);
});

test("The first ad's title is in view on a small phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  // Names of one, two and three lines.
  for (const path of ["Texas/Houston", "North%20Carolina/Winston-Salem", "California/Rancho%20Santa%20Margarita"]) {
    await page.goto(`/city/${path}`);
    const title = cardsOf(page).first().getByRole("heading");
    await expect(title).toBeInViewport({ ratio: 1 });
  }
});

test("The labels of a featured ad are on one line of a phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await openHouston(page);
  const labels = cardsOf(page).first().locator("p").first();
  await expect(labels).toContainText("W4M");
  const tops = await labels.evaluate((line) => [...line.children].map((label) => label.getBoundingClientRect().top));
  expect(Math.max(...tops) - Math.min(...tops)).toBeLessThan(8);
});

test("Back navigation restores the selected ads", async ({ page }) => {
  await openHouston(page);
  const form = page.getByRole("search", { name: "Ads" });
  await form.getByLabel("Age").selectOption("24 to 26");
  const ads = page.getByRole("region", { name: /^All other ads/ }).getByRole("article");
  const left = await ads.getByRole("heading").allTextContents();
  await ads.first().getByRole("heading").getByRole("link").click();
  await expectScreen(page, left[0] ?? "");
  await page.goBack();
  await expect(form.getByLabel("Age")).toHaveValue("24-26");
  await expect(ads.getByRole("heading")).toHaveText(left);
});

test("A selection without ads can be undone", async ({ page }) => {
  await openHouston(page);
  const form = page.getByRole("search", { name: "Ads" });
  await form.getByLabel("Keyword").fill("zzz");
  await form.getByRole("button", { name: "Show all ads" }).click();
  await expect(form.getByLabel("Keyword")).toHaveValue("");
  await expect(form.getByLabel("Keyword")).toBeFocused();
  await expect(page.getByRole("region", { name: /^All other ads/ }).getByRole("article")).not.toHaveCount(0);
});

test("A regular card's title links to its ad page", async ({ page }) => {
  await openHouston(page);
  const link = cardsOf(page).nth(2).getByRole("heading").getByRole("link");
  const title = await link.innerText();
  await link.click();
  await expectScreen(page, title);
  await expect(page).toHaveURL(/\/city\/Texas\/Houston\/ad\/\d{4}$/);
});

test("'Report this ad' leads to help for regular and featured ads", async ({ page }) => {
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

test("A city says where it is and how many people live there", async ({ page }) => {
  await openHouston(page);
  await expect(page.getByRole("img", { name: "Map: Houston is in the east of Texas." })).toBeVisible();
  await expect(page.getByText("2,314,157 residents")).toContainText("GeoNames, CC BY 4.0 (no year given)");
});

for (const [width, height] of [
  [320, 640],
  [1280, 800],
] as const) {
  test(`One action leads to a nearby city at ${String(width)} px`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openHouston(page);
    const nearby = page.getByRole("list", { name: "Nearby cities" }).getByRole("link");
    await expect(nearby).toHaveCount(6);
    expect((await boxOf(nearby.first())).y).toBeLessThan(height);
    for (const link of await nearby.all()) expect((await boxOf(link)).height).toBeGreaterThanOrEqual(44);
    const [name = ""] = (await nearby.first().innerText()).split("\n");
    await nearby.first().click();
    await expectScreen(page, `${name}, Texas`);
  });
}

test("Nearby cities fill two rows at 768 px", async ({ page }) => {
  await page.setViewportSize({ width: 768, height: 1024 });
  await page.goto("/city/California/Los%20Angeles");
  const nearby = page.getByRole("list", { name: "Nearby cities" }).getByRole("link");
  await expect(nearby).toHaveCount(6);
  const tops = await Promise.all((await nearby.all()).map(async (link) => (await boxOf(link)).y));
  expect(tops.map((top) => tops.filter((other) => other === top).length)).toEqual([3, 3, 3, 3, 3, 3]);
});

test("Nearby cities cross state lines", async ({ page }) => {
  await page.goto("/city/Missouri/Kansas%20City");
  const nearby = page.getByRole("list", { name: "Nearby cities" });
  await nearby.getByRole("link", { name: /^Kansas City, KS/ }).click();
  await expectScreen(page, "Kansas City, Kansas");
});
