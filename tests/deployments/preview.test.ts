import path from "node:path";

import type { Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { publishAltered } from "../support/altered-release";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { expect, test, type Operator } from "./operator";

const LEGAL = path.join(ROOT, "mfe-legal");
const LIVE = "Terms of use";
const PREVIEWED = "Terms to come";

const bannerOf = (page: Page) => page.getByRole("complementary", { name: "Preview" });

/** Presses the button of the page that a preview link opens. */
async function start(page: Page): Promise<void> {
  await page.getByRole("button", { name: "Start preview" }).click();
}

/** Creates a preview with altered terms. Returns the path of its link, because the configured origin differs. */
async function createPreview(operator: Operator): Promise<{ deployment: number; link: string }> {
  const { name, version } = await publishAltered(operator.access, LEGAL, (_, text) => text.replaceAll(LIVE, PREVIEWED));
  const { deployment, url } = await operator.preview({ [name]: version }, "/terms");
  return { deployment, link: new URL(url).pathname };
}

test("A link asks before it shows the preview", async ({ page, browser, operate }) => {
  const { own, operator } = await operate();
  const { deployment, link } = await createPreview(operator);
  await page.goto(own.url + link);
  await expect(page).toHaveTitle(/^Start a preview\? - /);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Start a preview?");
  const main = page.getByRole("main");
  await expect(main).toContainText(`deployment ${String(deployment)}, created by operator`);
  await expect(main.getByRole("listitem")).toHaveText([/^legal \S+ → \S+$/]);
  await expect(main).toContainText("It runs on this site's address");
  await expectAccessibleInAllAppearances(page);
  await page.getByRole("link", { name: "Go to the live site instead" }).click();
  await page.goto(`${own.url}/terms`);
  await expectScreen(page, LIVE);
  expect(await page.context().cookies()).toEqual([]);

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

test("A link shows a marked, unindexed preview until it is ended", async ({ page, browser, operate }) => {
  const { own, operator } = await operate();
  const { deployment, link } = await createPreview(operator);
  await page.goto(own.url + link);
  const opening = page.waitForResponse(`${own.url}/terms`);
  await start(page);
  const response = await opening;
  expect(new URL(page.url()).pathname).toBe("/terms");
  await expect.poll(() => page.evaluate(() => document.referrer)).toBe("");
  expect(await response.headerValue("cache-control")).toBe("no-store");
  expect(await response.headerValue("x-robots-tag")).toBe("noindex, nofollow");
  await expectScreen(page, PREVIEWED);
  // The document's policy allows its styles.
  await expect(bannerOf(page)).toHaveCSS("position", "sticky");
  await expect(bannerOf(page)).toContainText(`Preview of deployment ${String(deployment)}. You see it by a link.`);
  const robots = page.locator("head meta[name=robots]");
  await expect(robots).toHaveAttribute("content", /^noindex/);

  // An otherwise indexed page, by client-side navigation.
  await follow(page, "/state/California");
  await expectScreen(page, "Escorts in California");
  await expect(robots).toHaveCount(1);
  await expect(robots).toHaveAttribute("content", /^noindex/);
  await expect(bannerOf(page)).toHaveCount(1);

  const others = await browser.newContext();
  const visitor = await others.newPage();
  await visitor.goto(`${own.url}/terms`);
  await expectScreen(visitor, LIVE);
  await expect(bannerOf(visitor)).toHaveCount(0);
  await others.close();

  await bannerOf(page).getByRole("button", { name: "End preview" }).click();
  await page.waitForURL(`${own.url}/`);
  await expect(bannerOf(page)).toHaveCount(0);
  expect(await page.context().cookies()).toEqual([]);
  await page.goto(`${own.url}/terms`);
  await expectScreen(page, LIVE);
});

test("Forged links are rejected, and all links end together", async ({ page, request, operate }) => {
  const { own, operator } = await operate();
  const { link } = await createPreview(operator);
  const last = link.at(-2) === "A" ? "B" : "A";
  const forged = link.slice(0, -2) + last + link.slice(-1);
  const refused = await request.get(own.url + forged, { maxRedirects: 0 });
  expect(refused.status()).toBe(403);
  expect(refused.headers()["set-cookie"]).toBeUndefined();

  await page.goto(own.url + link);
  await start(page);
  await expectScreen(page, PREVIEWED);
  await operator.endPreviews();
  expect((await request.get(own.url + link, { maxRedirects: 0 })).status()).toBe(403);
  await page.reload();
  await expectScreen(page, LIVE);
  await expect(bannerOf(page)).toHaveCount(0);
});
