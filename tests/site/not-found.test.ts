import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectRefused } from "../support/failures";
import { readHead } from "../support/head";
import { expectScreen, follow, MISSING } from "../support/screens";

async function expectNotFound(page: Page, heading: string): Promise<void> {
  await expectScreen(page, heading);
  await expect(page).toHaveTitle(`${heading} - Colonnade Directory`);
  const head = await readHead(page);
  expect(head.robots).toMatch(/^noindex/);
  expect(head).toMatchObject({ canonical: null, description: null, keywords: null, social: {} });
  await expect(page.getByRole("banner").getByRole("link", { name: "Colonnade Directory" })).toBeVisible();
  await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Return to home" }).click();
  await expectScreen(page, "Browse by state. Know what you are reading.");
  await expect(page).toHaveURL("/");
}

for (const path of ["/nowhere", "/state", "/city/Texas", "/about-escort-babylon/a/b"]) {
  test(`${path} answers HTTP 404 with the site's own not-found page`, async ({ page, complaints }) => {
    const response = await page.goto(path);
    expect(response?.status()).toBe(404);
    await expectNotFound(page, "Page not found");
    await expectRefused(complaints, 404);
  });
}

for (const { name, path, heading } of MISSING.filter((screen) => screen.path !== "/nowhere")) {
  test(`${name}: '${heading}', a 'Return to home' link, noindex`, async ({ page, site, complaints }) => {
    const response = await page.goto(path);
    // Left to the browser, the section says so when the document is there already.
    expect(response?.status()).toBe(site.rendered ? 404 : 200);
    await expectNotFound(page, heading);
    if (site.rendered) await expectRefused(complaints, 404);
  });
}

test("names in paths match exactly after one decoding", async ({ page, site, complaints }) => {
  for (const [path, heading] of [
    ["/state/New%20York", "Escorts in New York"],
    ["/state/%4e%65w%20York", "Escorts in New York"],
    ["/state/new%20york", "State not found"],
    ["/state/New%2520York", "State not found"],
    ["/state/New+York", "State not found"],
    ["/state/New%20York%20", "State not found"],
    ["/state/constructor", "State not found"],
    ["/state/__proto__", "State not found"],
    ["/city/texas/Houston", "City not found"],
    ["/city/Texas/houston", "City not found"],
    ["/city/Texas/constructor", "City not found"],
    // A city of another state.
    ["/city/Texas/Yonkers", "City not found"],
  ] as const) {
    const response = await page.goto(path);
    expect(response?.status(), path).toBe(site.rendered && heading.endsWith("not found") ? 404 : 200);
    await expectScreen(page, heading);
  }
  if (site.rendered) await expectRefused(complaints, 404);
});

test("a link to a page that does not exist shows it, too, without a new document", async ({ page, complaints }) => {
  await page.goto("/terms");
  await expectScreen(page, "Terms of use");
  await page.evaluate(() => {
    document.body.dataset.same = "document";
  });
  await follow(page, "/nowhere");
  await expectScreen(page, "Page not found");
  await expect(page.locator("body")).toHaveAttribute("data-same", "document");
  await expectNotFound(page, "Page not found");
  await expectRefused(complaints, 404);
});
