import path from "node:path";

import type { Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { publishAltered } from "../support/altered-release";
import { boxOf, expectNoHorizontalScroll } from "../support/layout";
import { expectAccessibleOnPhone } from "../support/phone";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { openPage, waitForDialogStyles } from "../support/signup";
import { expect, test, type Operator } from "./operator";

const LEGAL = path.join(ROOT, "mfe-legal");
const LIVE = "Terms of use";
const PREVIEWED = "Terms to come";

const bannerOf = (page: Page) => page.getByRole("complementary", { name: "Preview" });
const buttonOf = (page: Page) => bannerOf(page).getByRole("button", { name: "End preview" });

/** Creates a preview with altered terms. Returns the path of its link, because the configured origin differs. */
async function createPreview(operator: Operator): Promise<{ deployment: number; link: string }> {
  const { name, version } = await publishAltered(operator.access, LEGAL, (_, text) => text.replaceAll(LIVE, PREVIEWED));
  const { deployment, url } = await operator.preview({ [name]: version }, "/terms");
  return { deployment, link: new URL(url).pathname };
}

async function start(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Start preview" }).click();
  await expectScreen(page, PREVIEWED);
}

/** Expects the banner above the whole page, and that it covers neither a fragment's target nor the skip link. */
async function expectBannerOnTop(page: Page, site: string): Promise<void> {
  await openPage(page, `${site}/#faq`);
  const target = page.locator("#faq");
  await expect(target).toBeInViewport();
  const { height, y } = await boxOf(bannerOf(page));
  expect(y).toBe(0);
  await expect.poll(async () => (await boxOf(target)).y).toBeGreaterThanOrEqual(height);

  await openPage(page, `${site}/state/California`);
  const banner = await boxOf(bannerOf(page));
  const header = await boxOf(page.getByRole("banner"));
  expect(banner).toMatchObject({ x: 0, y: 0, width: header.width });
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
}

test("A link asks before it shows a preview, which is marked until it ends", async ({ page, browser, operate }) => {
  const { own, operator } = await operate();
  const { deployment, link } = await createPreview(operator);

  await test.step("The link asks", async () => {
    await page.goto(own.url + link);
    await expect(page).toHaveTitle(/^Start a preview\? - /);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Start a preview?");
    const main = page.getByRole("main");
    await expect(main).toContainText(`deployment ${String(deployment)}, created by operator`);
    await expect(main.getByRole("listitem")).toHaveText([/^legal \S+ → \S+$/]);
    await expect(main).toContainText("It runs on this site's address");
    await expectAccessibleOnPhone(page);
    await page.getByRole("link", { name: "Go to the live site instead" }).click();
    await page.goto(`${own.url}/terms`);
    await expectScreen(page, LIVE);
    expect(await page.context().cookies()).toEqual([]);
  });

  await test.step("It works by keyboard, without JavaScript", async () => {
    const scriptless = await browser.newContext({ javaScriptEnabled: false });
    const reviewer = await scriptless.newPage();
    await reviewer.goto(own.url + link);
    await reviewer.keyboard.press("Tab");
    await reviewer.keyboard.press("Tab");
    await expect(reviewer.getByRole("button", { name: "Start preview" })).toBeFocused();
    await reviewer.keyboard.press("Enter");
    await reviewer.waitForURL(`${own.url}/terms`);
    await expect(bannerOf(reviewer)).toBeVisible();
    await scriptless.close();
  });

  await test.step("Pages have a banner, and are not indexed", async () => {
    await start(page, own.url + link);
    expect(page.url()).toBe(`${own.url}/terms`);
    expect(await page.evaluate(() => document.referrer)).toBe("");
    // The document's policy allows its styles.
    await expect(bannerOf(page)).toHaveCSS("position", "sticky");
    await expect(bannerOf(page)).toContainText(`Preview of deployment ${String(deployment)}. You see it by a link.`);
    // Two pages that are otherwise indexed, by client-side navigation, and one that does not exist.
    const robots = page.locator("head meta[name=robots]");
    for (const [to, heading] of [
      ["/about-escort-babylon", "Guides"],
      ["/state/Nowhere", "State not found"],
      ["/", "Browse by state. Know what you’re reading."],
    ] as const) {
      await follow(page, to);
      await expectScreen(page, heading);
      await expect(robots).toHaveCount(1);
      await expect(robots).toHaveAttribute("content", /^noindex/);
      await expect(bannerOf(page)).toHaveCount(1);
    }
  });

  await test.step("The banner is accessible, and keeps an edge in forced colors", async () => {
    await openPage(page, `${own.url}/terms`);
    await expectAccessibleInAllAppearances(page);
    await page.emulateMedia({ colorScheme: "light", forcedColors: "active" });
    const edge = await bannerOf(page).evaluate((element) => {
      const { borderBlockEndColor, borderBlockEndWidth, backgroundColor, color } = getComputedStyle(element);
      return { borderBlockEndColor, borderBlockEndWidth, backgroundColor, color };
    });
    expect(edge.borderBlockEndWidth).toBe("3px");
    expect(edge.borderBlockEndColor).not.toBe(edge.backgroundColor);
    expect(edge.color).not.toBe(edge.backgroundColor);
    await expect(buttonOf(page)).toHaveCSS("border-top-style", "solid");
    await page.emulateMedia({ forcedColors: "none" });
  });

  for (const width of [320, 1280])
    await test.step(`The banner is above the page at ${String(width)} px`, async () => {
      await page.setViewportSize({ width, height: 720 });
      await expectBannerOnTop(page, own.url);
    });

  await test.step("Only this browser sees it, until the visitor or the operator ends it", async () => {
    const others = await browser.newContext();
    const visitor = await others.newPage();
    await visitor.goto(`${own.url}/terms`);
    await expectScreen(visitor, LIVE);
    await expect(bannerOf(visitor)).toHaveCount(0);
    await others.close();
    await waitForDialogStyles(page);
    await buttonOf(page).click();
    await page.waitForURL(`${own.url}/`);
    await expect(bannerOf(page)).toHaveCount(0);
    expect(await page.context().cookies()).toEqual([]);
    await page.goto(`${own.url}/terms`);
    await expectScreen(page, LIVE);
    await start(page, own.url + link);
    await waitForDialogStyles(page);
    await operator.endPreviews();
    await page.reload();
    await expectScreen(page, LIVE);
    await expect(bannerOf(page)).toHaveCount(0);
  });
});
