import { expect, type Locator, type Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test } from "../support/fixtures";
import { boxOf, expectNoSidewaysScroll } from "../support/layout";
import { expectScreen, follow } from "../support/screens";
import { visit } from "../support/signup";
import { alterDocuments } from "./stubs";

// As the gateway writes it into the document of a preview.
const BANNER =
  '<aside class="preview" aria-label="Preview"><p>Preview of deployment 13. You see it by a link.</p>' +
  '<form method="post" action="/_preview/end"><button type="submit">End preview</button></form></aside>';
const ROBOTS = '<meta name="robots" content="noindex">';

const bannerOf = (page: Page): Locator => page.getByRole("complementary", { name: "Preview" });
const buttonOf = (page: Page): Locator => bannerOf(page).getByRole("button", { name: "End preview" });

test.beforeEach(async ({ page }) => {
  await alterDocuments(page, (html) =>
    html.replace("</head>", `${ROBOTS}</head>`).replace('<div id="root">', `${BANNER}<div id="root">`),
  );
});

for (const width of [320, 1280]) {
  test.describe(`at ${String(width)} px`, () => {
    test.use({ viewport: { width, height: 720 }, hasTouch: width === 320 });

    test("it stands above the page, over all of its width, and its button is large enough to be touched", async ({
      page,
    }) => {
      await visit(page, "/state/California");
      const banner = await boxOf(bannerOf(page));
      const header = await boxOf(page.getByRole("banner"));
      expect(banner).toMatchObject({ x: 0, y: 0 });
      expect(banner.width).toBe(header.width);
      expect(header.y).toBe(banner.height);
      const button = await boxOf(buttonOf(page));
      expect(Math.min(button.width, button.height)).toBeGreaterThanOrEqual(44);
      await expectNoSidewaysScroll(page);
    });

    test("it stays in sight, and what is jumped to comes to rest below it", async ({ page }) => {
      await visit(page, "/#faq");
      const place = page.locator("#faq");
      await expect(place).toBeInViewport();
      const banner = await boxOf(bannerOf(page));
      expect(banner.y).toBe(0);
      await expect.poll(async () => (await boxOf(place)).y).toBeGreaterThanOrEqual(banner.height);
    });

    test("the skip link is out of sight until it has the focus, and then below it", async ({ page }) => {
      await visit(page, "/state/California");
      const skip = page.getByRole("link", { name: "Skip to content" });
      // Nothing of it is drawn or can be hit.
      await expect(skip).toHaveCSS("clip-path", "inset(50%)");
      const banner = await boxOf(bannerOf(page));
      await page.mouse.wheel(0, 2000);
      await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(0);
      await skip.focus();
      await expect(skip).toHaveCSS("clip-path", "none");
      await expect.poll(async () => (await boxOf(skip)).y).toBeGreaterThanOrEqual(banner.height);
      await expect(skip).toBeInViewport({ ratio: 1 });
    });
  });
}

test("axe finds nothing, in light and dark, narrow and wide", async ({ page }) => {
  await visit(page, "/terms");
  await expectAccessibleInAllAppearances(page);
});

test("in forced colours it has an edge, and its button too", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await visit(page, "/terms");
  const edge = await bannerOf(page).evaluate((element) => {
    const { borderBlockEndColor, borderBlockEndWidth, backgroundColor, color } = getComputedStyle(element);
    return { borderBlockEndColor, borderBlockEndWidth, backgroundColor, color };
  });
  expect(edge.borderBlockEndWidth).toBe("3px");
  expect(edge.borderBlockEndColor).not.toBe(edge.backgroundColor);
  expect(edge.color).not.toBe(edge.backgroundColor);
  await expect(buttonOf(page)).toHaveCSS("border-top-style", "solid");
});

test("it stays, once, wherever the visitor goes, and nothing of the preview is to be indexed", async ({ page }) => {
  await visit(page, "/");
  const robots = page.locator("head meta[name=robots]");
  for (const [path, heading] of [
    ["/about-escort-babylon", "About Colonnade Directory"],
    ["/state/Nowhere", "State not found"],
    ["/terms", "Terms of use"],
    ["/", "Browse by state. Know what you are reading."],
  ] as const) {
    await follow(page, path);
    await expectScreen(page, heading);
    await expect(robots).toHaveCount(1);
    await expect(robots).toHaveAttribute("content", /^noindex/);
    await expect(bannerOf(page)).toHaveCount(1);
    await expect(bannerOf(page)).toContainText("Preview of deployment 13.");
  }
});
