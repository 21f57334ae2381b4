import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { expectErrorsAbout } from "../support/browser-errors";
import { findByPath, findCommonScript, replace, type StoredFile } from "../support/damage";
import { test } from "../support/own-site";
import { expectScreen, follow } from "../support/screens";
import { expectFallback } from "./expectations";

const TAMPERED = "/* not the published file */ globalThis.tampered = true;";
const HOME = "Browse by state. Know what you’re reading.";

function isTampered(page: Page): Promise<boolean> {
  return page.evaluate(() => "tampered" in window);
}

/** Returns the first match of `pattern` in a document. */
async function findInDocument(page: Page, url: string, pattern: RegExp): Promise<string> {
  const html = await (await page.request.get(url)).text();
  return pattern.exec(html)?.[1] ?? "";
}

test("Altered files of sections and of the frame are not used", async ({ page, site, uncachedSite, browserErrors }) => {
  const { url } = uncachedSite;
  /** Alters a file while `check` runs. */
  const whileAltered = async (file: StoredFile, text: string, check: () => Promise<void>): Promise<void> => {
    const repair = await replace(file, text);
    try {
      await check();
    } finally {
      await repair();
    }
    expect(await isTampered(page)).toBe(false);
    expectErrorsAbout(browserErrors, file.path);
  };

  await test.step("A section falls back without its shared script", async () => {
    await whileAltered(await findCommonScript(uncachedSite, "directory"), TAMPERED, async () => {
      await page.goto(url);
      await expectFallback(page);
    });
    // A retry also replaces what the browser has cached.
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, HOME);
  });

  await test.step("A section falls back without a script of a single page", async () => {
    // A state's data is a chunk that the page imports. No document names it; webpack checks its digest.
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.goto(`${site.url}/state/Texas`);
    await expectScreen(page, "Escorts in Texas");
    const { section, assets } = (JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot).page ?? {};
    const listed = [section?.entry, ...[...(section?.assets ?? []), ...(assets ?? [])].map(({ href }) => href)];
    const chunk = requested.find((file) => /^\/assets\/directory\/.*\.js$/.test(file) && !listed.includes(file));
    await whileAltered(await findByPath(uncachedSite, chunk ?? ""), TAMPERED, async () => {
      await page.goto(`${url}/state/Texas`);
      await expectFallback(page);
    });
  });

  await test.step("The frame's stylesheet does not apply", async () => {
    const address = await findInDocument(page, url, /<link rel="stylesheet" href="([^"]+)"/);
    await whileAltered(await findByPath(uncachedSite, address), "body { visibility: hidden }", async () => {
      await page.goto(url);
      await expectScreen(page, HOME);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await follow(page, "/terms");
      await expectScreen(page, "Terms of use");
    });
  });
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
