import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { test } from "../support/beside";
import { findByPath, findCommonScript, replace } from "../support/damage";
import { expectScreen, follow } from "../support/screens";
import { expectComplaintsAbout, expectFallback, expectOthersWork } from "./expectations";

const TAMPERED = "/* not what was published */ globalThis.tampered = true;";
const HOME = "Browse by state. Know what you are reading.";

function isTampered(page: Page): Promise<boolean> {
  return page.evaluate(() => "tampered" in window);
}

test("the script that all pages of a section share is changed: only the section falls back", async ({
  page,
  beside,
  complaints,
}) => {
  const own = await beside();
  const file = await findCommonScript(own, "directory");
  await replace(file, TAMPERED);
  await page.goto(own.url);
  await expectFallback(page);
  await expectOthersWork(page, "directory");
  expect(await isTampered(page)).toBe(false);
  expectComplaintsAbout(complaints, file.path);
});

test("a script that a page asks for by itself is changed: only the section falls back", async ({
  page,
  beside,
  site,
  complaints,
}) => {
  // Data of a state is a script that no list names: the page imports it, and webpack knows its digest.
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.goto(`${site.url}/state/Texas`);
  await expectScreen(page, "Escorts in Texas");
  const { section, assets } = (JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot).page ?? {};
  const listed = [section?.entry, ...[...(section?.assets ?? []), ...(assets ?? [])].map(({ href }) => href)];
  const own = await beside();
  const path = asked.find((address) => /^\/assets\/directory\/.*\.js$/.test(address) && !listed.includes(address));
  const file = await findByPath(own, path ?? "");
  await replace(file, TAMPERED);
  await page.goto(`${own.url}/state/Texas`);
  await expectFallback(page);
  await expectOthersWork(page, "directory");
  expect(await isTampered(page)).toBe(false);
  expectComplaintsAbout(complaints, file.path);
});

/** The address that a document's HTML names at this place. */
async function addressIn(page: Page, url: string, place: RegExp): Promise<string> {
  const html = await (await page.request.get(url)).text();
  return place.exec(html)?.[1] ?? "";
}

test("the frame's stylesheet is changed: it does not apply, and the site works", async ({
  page,
  beside,
  complaints,
}) => {
  const own = await beside();
  const file = await findByPath(own, await addressIn(page, own.url, /<link rel="stylesheet" href="([^"]+)"/));
  await replace(file, "body { visibility: hidden }");
  await page.goto(own.url);
  await expectScreen(page, HOME);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expectComplaintsAbout(complaints, file.path);
});

test("the shell's own script is changed: it does not run, and a page that came rendered is still read", async ({
  page,
  beside,
  complaints,
}) => {
  const own = await beside({ rendered: true });
  const file = await findByPath(own, await addressIn(page, `${own.url}/terms`, /<script src="([^"]+)" defer/));
  await replace(file, TAMPERED);
  await page.goto(`${own.url}/terms`);
  await expectScreen(page, "Terms of use");
  await page.getByRole("contentinfo").getByRole("link", { name: "Privacy" }).click();
  await expectScreen(page, "Privacy policy");
  expect(await isTampered(page)).toBe(false);
  expectComplaintsAbout(complaints, file.path);
});
