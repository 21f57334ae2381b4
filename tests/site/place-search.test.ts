import type { Locator, Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expectErrorsAbout } from "../support/browser-errors";
import { expect, test } from "../support/fixtures";
import { waitForPaint } from "../support/hydration";
import { expectNoHorizontalScroll } from "../support/layout";
import { expectScreen, open, SCREENS } from "../support/screens";
import { smallTargets } from "../support/targets";

const HOME = SCREENS.find(({ path }) => path === "/") ?? { name: "home", path: "/", heading: "" };
const INDEX = /\/assets\/directory\/[^/]+\/cityIndex\.[0-9a-f]{8}\.txt$/;

const search = (page: Page): Locator => page.getByRole("combobox", { name: "Find a city or state" });

test("The index is one immutable file, loaded on intent", async ({ page }) => {
  const requests: string[] = [];
  page.on("request", (sent) => {
    if (INDEX.test(sent.url())) requests.push(sent.url());
  });
  await open(page, HOME);
  await waitForPaint(page);
  expect(requests).toEqual([]);
  const loaded = page.waitForResponse(INDEX);
  await search(page).hover();
  const response = await loaded;
  await search(page).fill("austin");
  await expect(page.getByRole("option").first()).toHaveText("Austin Texas");
  expect(requests).toEqual([response.url()]);
  expect(response.headers()["cache-control"]).toContain("immutable");
  const sizes = await response.request().sizes();
  expect(response.headers()["content-encoding"]).toBe("br");
  expect(sizes.responseBodySize).toBeLessThanOrEqual(25_000);
});

test("The open search, no matches and a failed index are accessible", async ({ page, browserErrors }) => {
  await open(page, HOME);
  await page.route(INDEX, (route) => route.abort());
  await search(page).fill("texas");
  await expect(page.getByRole("alert")).toContainText("City search isn’t available right now.");
  const form = { selector: "[role=search]" };
  await expectAccessible(page, form);
  await page.unroute(INDEX);
  await page.getByRole("button", { name: "Try again" }).click();
  await search(page).fill("zzz");
  await expect(page.getByText("No state or city here matches “zzz”.")).toBeVisible();
  await expect(search(page)).toHaveAttribute("aria-expanded", "false");
  await expectAccessible(page, form);
  await search(page).fill("new");
  await expect(page.getByRole("option", { name: "New Orleans Louisiana" })).toBeVisible();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, { ...form, colorsOnly: colorScheme === "dark" });
  }
  await page.keyboard.press("ArrowDown");
  await page.emulateMedia({ forcedColors: "active" });
  await expect(page.getByRole("option", { selected: true })).toHaveCSS("outline-style", "solid");
  expectErrorsAbout(browserErrors, "ERR_FAILED");
});

test.describe("with a finger, at 320 px", () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });

  test("Seven cities fit, and a tap on one opens it", async ({ page }) => {
    await open(page, HOME);
    await expect(search(page)).toBeInViewport();
    await search(page).tap();
    await page.keyboard.type("new");
    const option = page.getByRole("option", { name: "New Orleans Louisiana" });
    // The field moves to the top, so that the options fit above the keyboard.
    await expect.poll(async () => (await search(page).boundingBox())?.y ?? 640).toBeLessThan(100);
    expect(await smallTargets(page, 44)).toEqual([]);
    await expectNoHorizontalScroll(page);
    await search(page).fill("san");
    await expect(page.getByRole("option")).toHaveCount(7);
    await expect(page.getByText(/^\d+ more\. Keep typing\.$/)).toBeInViewport({ ratio: 1 });
    await search(page).fill("new");
    await option.tap();
    await expectScreen(page, "New Orleans, Louisiana");
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("The search is absent, and the states are listed", async ({ page }) => {
    await page.goto("/");
    await expect(page.locator("[role=combobox]")).toBeHidden();
    await page.getByRole("link", { name: "Choose a state" }).click();
    await expect(page.getByRole("link", { name: "Texas", exact: true })).toBeVisible();
  });
});
