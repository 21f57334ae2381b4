import { readFile } from "node:fs/promises";
import path from "node:path";

import { expect, type Locator, type Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test } from "../support/fixtures";
import { boxOf, expectNoHorizontalScroll } from "../support/layout";
import { expectScreen, follow } from "../support/screens";
import { openPage } from "../support/signup";
import { alterDocuments } from "./stub-responses";

// As in the gateway's documents.
const BANNER =
  '<aside class="preview" aria-label="Preview"><p>Preview of deployment 13. You see it by a link.</p>' +
  '<form method="post" action="/_preview/end"><button type="submit">End preview</button></form></aside>';
const STYLE = path.resolve(import.meta.dirname, "../../gateway/crates/site/src/document/preview_banner.css");
const ROBOTS = '<meta name="robots" content="noindex">';

const bannerOf = (page: Page): Locator => page.getByRole("complementary", { name: "Preview" });
const buttonOf = (page: Page): Locator => bannerOf(page).getByRole("button", { name: "End preview" });

// The policy of a document without a banner rejects the banner's styles.
test.use({ bypassCSP: true });

test.beforeEach(async ({ page }) => {
  const head = `<style>${await readFile(STYLE, "utf8")}</style>${ROBOTS}</head>`;
  await alterDocuments(page, (html) =>
    html.replace("</head>", head).replace('<div id="root">', `${BANNER}<div id="root">`),
  );
});

for (const width of [320, 1280]) {
  test.describe(`at ${String(width)} px`, () => {
    test.use({ viewport: { width, height: 720 }, hasTouch: width === 320 });

    test("It stays visible, and fragment targets scroll to below it", async ({ page }) => {
      await openPage(page, "/#faq");
      const target = page.locator("#faq");
      await expect(target).toBeInViewport();
      const banner = await boxOf(bannerOf(page));
      expect(banner.y).toBe(0);
      await expect.poll(async () => (await boxOf(target)).y).toBeGreaterThanOrEqual(banner.height);
    });

    test("It spans the page above header and focused skip link", async ({ page }) => {
      await openPage(page, "/state/California");
      const banner = await boxOf(bannerOf(page));
      const header = await boxOf(page.getByRole("banner"));
      expect(banner).toMatchObject({ x: 0, y: 0 });
      expect(banner.width).toBe(header.width);
      expect(header.y).toBe(banner.height);
      const button = await boxOf(buttonOf(page));
      expect(Math.min(button.width, button.height)).toBeGreaterThanOrEqual(44);
      await expectNoHorizontalScroll(page);
      const skip = page.getByRole("link", { name: "Skip to content" });
      // Neither painted nor clickable.
      await expect(skip).toHaveCSS("clip-path", "inset(50%)");
      await page.mouse.wheel(0, 2000);
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
      await skip.focus();
      await expect(skip).toHaveCSS("clip-path", "none");
      await expect.poll(async () => (await boxOf(skip)).y).toBeGreaterThanOrEqual(banner.height);
      await expect(skip).toBeInViewport({ ratio: 1 });
    });
  });
}

test("axe finds no violations in light and dark, narrow and wide", async ({ page }) => {
  await openPage(page, "/terms");
  await expectAccessibleInAllAppearances(page);
});

test("The banner and its button keep an edge in forced colors", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await openPage(page, "/terms");
  const edge = await bannerOf(page).evaluate((element) => {
    const { borderBlockEndColor, borderBlockEndWidth, backgroundColor, color } = getComputedStyle(element);
    return { borderBlockEndColor, borderBlockEndWidth, backgroundColor, color };
  });
  expect(edge.borderBlockEndWidth).toBe("3px");
  expect(edge.borderBlockEndColor).not.toBe(edge.backgroundColor);
  expect(edge.color).not.toBe(edge.backgroundColor);
  await expect(buttonOf(page)).toHaveCSS("border-top-style", "solid");
});

test("The banner and noindex stay during client-side navigation", async ({ page }) => {
  await openPage(page, "/");
  const robots = page.locator("head meta[name=robots]");
  for (const [path, heading] of [
    ["/about-escort-babylon", "About Colonnade Directory"],
    ["/state/Nowhere", "State not found"],
    ["/terms", "Terms of use"],
    ["/", "Browse by state. Know what you’re reading."],
  ] as const) {
    await follow(page, path);
    await expectScreen(page, heading);
    await expect(robots).toHaveCount(1);
    await expect(robots).toHaveAttribute("content", /^noindex/);
    await expect(bannerOf(page)).toHaveCount(1);
    await expect(bannerOf(page)).toContainText("Preview of deployment 13.");
  }
});
