import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectHttpError } from "../support/http-errors";
import { readHead } from "../support/head";
import { expectScreen, follow, NOT_FOUND_SCREENS } from "../support/screens";

async function expectNotFound(page: Page, heading: string): Promise<void> {
  await expectScreen(page, heading);
  await expect(page).toHaveTitle(`${heading} - Colonnade Directory`);
  const head = await readHead(page);
  expect(head.robots).toMatch(/^noindex/);
  expect(head).toMatchObject({ canonical: null, description: null, keywords: null, social: {} });
  await expect(page.getByRole("banner").getByRole("link", { name: "Colonnade Directory" })).toBeVisible();
  await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
}

test("Paths, states, cities, ads and articles may not exist", async ({ page, site, browserErrors }) => {
  test.skip(site.serverRendering, "rendering/document.test.ts has these documents.");
  for (const { path, heading } of NOT_FOUND_SCREENS) {
    const response = await page.goto(path);
    // The section finds out after the document was sent.
    expect(response?.status(), path).toBe(path === "/nowhere" ? 404 : 200);
    await expectNotFound(page, heading);
    if (path === "/nowhere") await expectHttpError(browserErrors, 404);
  }
});

test("A link to an unknown path keeps the document", async ({ page, browserErrors }) => {
  await page.goto("/terms");
  await expectScreen(page, "Terms of use");
  await page.evaluate(() => {
    document.body.dataset.same = "document";
  });
  await follow(page, "/nowhere");
  await expectScreen(page, "Page not found");
  await expect(page.locator("body")).toHaveAttribute("data-same", "document");
  await expectNotFound(page, "Page not found");
  await expect(page.getByRole("combobox", { name: "Find a city or state" })).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Return to home" }).click();
  await expectScreen(page, "Browse by state. Know what you’re reading.");
  await expectHttpError(browserErrors, 404);
});

test("The search is in the document, and works without a layout shift once its code arrives", async ({
  page,
  site,
  browserErrors,
}) => {
  test.skip(!site.serverRendering, "The browser renders the page with its code.");
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/*.js", async (route) => {
    await released;
    await route.continue();
  });
  await page.goto("/nowhere", { waitUntil: "commit" });
  const search = page.locator('[data-extension="directory"] [role=search]');
  // It could not work yet.
  await expect(search).toBeHidden();
  const before = await search.boundingBox();
  expect(before?.height).toBeGreaterThan(80);
  release();
  await expect(search).toBeVisible();
  expect(await search.boundingBox()).toEqual(before);
  await page.getByRole("combobox", { name: "Find a city or state" }).fill("TX");
  await expect(page.getByRole("option", { name: "Texas" })).toBeVisible();
  await expectHttpError(browserErrors, 404);
});

test.describe("Without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the not-found page links the page with the states", async ({ page, site, browserErrors }) => {
    test.skip(!site.serverRendering, "The browser renders the page.");
    await page.goto("/nowhere");
    await page.getByRole("link", { name: "Browse by state" }).click();
    await expect(page).toHaveURL("/#states");
    await expect(page.getByRole("link", { name: /^Alabama\b/ }).last()).toBeInViewport();
    await expectHttpError(browserErrors, 404);
  });
});
