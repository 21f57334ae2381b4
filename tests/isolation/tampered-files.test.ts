import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { findByPath, findCommonScript, replace, type Repair } from "../support/damage";
import { test } from "../support/own-site";
import { expectScreen, follow } from "../support/screens";
import { expectErrorsAbout, expectFallback, expectOtherSectionsWork } from "./expectations";

const TAMPERED = "/* not the published file */ globalThis.tampered = true;";
const HOME = "Browse by state. Know what you’re reading.";

let repair: Repair | undefined;
test.afterEach(async () => {
  await repair?.();
  repair = undefined;
});

function isTampered(page: Page): Promise<boolean> {
  return page.evaluate(() => "tampered" in window);
}

/** Returns the first match of `pattern` in a document. */
async function findInDocument(page: Page, url: string, pattern: RegExp): Promise<string> {
  const html = await (await page.request.get(url)).text();
  return pattern.exec(html)?.[1] ?? "";
}

test("A section falls back when its shared script is altered", async ({ page, uncachedSite, browserErrors }) => {
  const file = await findCommonScript(uncachedSite, "directory");
  repair = await replace(file, TAMPERED);
  await page.goto(uncachedSite.url);
  await expectFallback(page);
  await expectOtherSectionsWork(page, "directory");
  expect(await isTampered(page)).toBe(false);
  expectErrorsAbout(browserErrors, file.path);
});

test("An altered script of a single page triggers the fallback", async ({
  page,
  site,
  uncachedSite,
  browserErrors,
}) => {
  // A state's data is a chunk that the page imports. No document names it; webpack checks its digest.
  const requested: string[] = [];
  page.on("request", (request) => requested.push(new URL(request.url()).pathname));
  await page.goto(`${site.url}/state/Texas`);
  await expectScreen(page, "Escorts in Texas");
  const { section, assets } = (JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot).page ?? {};
  const listed = [section?.entry, ...[...(section?.assets ?? []), ...(assets ?? [])].map(({ href }) => href)];
  const path = requested.find((address) => /^\/assets\/directory\/.*\.js$/.test(address) && !listed.includes(address));
  const file = await findByPath(uncachedSite, path ?? "");
  repair = await replace(file, TAMPERED);
  await page.goto(`${uncachedSite.url}/state/Texas`);
  await expectFallback(page);
  await expectOtherSectionsWork(page, "directory");
  expect(await isTampered(page)).toBe(false);
  expectErrorsAbout(browserErrors, file.path);
});

test("An altered stylesheet of the frame does not apply", async ({ page, uncachedSite, browserErrors }) => {
  const address = await findInDocument(page, uncachedSite.url, /<link rel="stylesheet" href="([^"]+)"/);
  const file = await findByPath(uncachedSite, address);
  repair = await replace(file, "body { visibility: hidden }");
  await page.goto(uncachedSite.url);
  await expectScreen(page, HOME);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expectErrorsAbout(browserErrors, file.path);
});

test("An altered shell does not run, and pages stay readable", async ({ page, startOwnSite, browserErrors }) => {
  const own = await startOwnSite({ serverRendering: true });
  const address = await findInDocument(page, `${own.url}/terms`, /<script src="([^"]+)" defer/);
  const file = await findByPath(own, address);
  await replace(file, TAMPERED);
  await page.goto(`${own.url}/terms`);
  await expectScreen(page, "Terms of use");
  await page.getByRole("contentinfo").getByRole("link", { name: "Privacy" }).click();
  await expectScreen(page, "Privacy policy");
  expect(await isTampered(page)).toBe(false);
  expectErrorsAbout(browserErrors, file.path);
});
