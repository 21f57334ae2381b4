import type { Locator, Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expect, test } from "../support/fixtures";
import { waitForHydration, waitForPaint } from "../support/hydration";
import { expectHttpError } from "../support/http-errors";
import { recordLayoutShifts } from "../support/layout-shifts";
import { expectNoHorizontalScroll } from "../support/layout";
import { expectScreen, NOT_FOUND_SCREENS, open, SCREENS } from "../support/screens";
import { smallTargets } from "../support/targets";

const HOME = SCREENS.find(({ path }) => path === "/") ?? { name: "home", path: "/", heading: "" };
const INDEX = /\/assets\/directory\/[^/]+\/cityIndex\.[0-9a-f]{8}\.txt$/;

const search = (page: Page): Locator => page.getByRole("combobox", { name: "Find a city or state" });

for (const [typed, heading] of [
  ["TX", "Escorts in Texas"],
  ["austin tex", "Austin, Texas"],
  ["Los Angeles, CA", "Los Angeles, California"],
  ["ewa", "‘Ewa Beach, Hawaii"],
  ["canon city", "Cañon City, Colorado"],
] as const) {
  test(`Typing “${typed}” and Enter leads to ${heading}`, async ({ page }) => {
    await open(page, HOME);
    await search(page).pressSequentially(typed);
    await page.keyboard.press("Enter");
    await expectScreen(page, heading);
  });
}

for (const screen of NOT_FOUND_SCREENS) {
  test(`The not-found page of ${screen.name} has the search`, async ({ page, browserErrors }) => {
    const shifts = await recordLayoutShifts(page);
    await open(page, screen);
    await expect(search(page)).toBeVisible();
    await waitForPaint(page);
    expect(await shifts()).toEqual([]);
    await search(page).fill("port");
    await expect(page.getByRole("group", { name: "Cities" }).getByRole("option").first()).toHaveText("Portland Oregon");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expectScreen(page, "Portland, Oregon");
    await expectHttpError(browserErrors, 404);
  });
}

test("The index is one immutable file, loaded on intent", async ({ page }) => {
  const requests: string[] = [];
  page.on("request", (sent) => {
    if (INDEX.test(sent.url())) requests.push(sent.url());
  });
  await open(page, HOME);
  await waitForHydration(page);
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

test("If the index fails, states are found, and a retry loads it", async ({ page, browserErrors }) => {
  await open(page, HOME);
  await page.route(INDEX, (route) => route.abort());
  await search(page).fill("texas");
  await expect(page.getByRole("alert")).toContainText("City search isn’t available right now.");
  await expect(page.getByRole("option")).toHaveText(["Texas TX"]);
  await expectAccessible(page);
  await page.unroute(INDEX);
  await page.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("alert")).toBeHidden();
  await expect(search(page)).toBeFocused();
  await search(page).fill("austin");
  await expect(page.getByRole("option").first()).toHaveText("Austin Texas");
  expect(browserErrors.errors.splice(0)).toEqual([expect.stringContaining("ERR_FAILED")]);
});

test("Enter waits for an index that is on its way", async ({ page }) => {
  await open(page, HOME);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(INDEX, async (route) => {
    await released;
    await route.continue();
  });
  await search(page).fill("los angeles");
  await expect(page.getByText("Loading cities…")).toBeVisible();
  await page.keyboard.press("Enter");
  release();
  await expectScreen(page, "Los Angeles, California");
});

test("The open search is accessible in both color schemes", async ({ page }) => {
  await open(page, HOME);
  await search(page).fill("new");
  await expect(page.getByRole("option", { name: "New Orleans Louisiana" })).toBeVisible();
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
  await page.emulateMedia({ forcedColors: "active" });
  await expect(page.getByRole("option", { selected: true })).toHaveCSS("outline-style", "solid");
});

test("Without matches, the search says so and leads to the states", async ({ page }) => {
  await open(page, HOME);
  await search(page).fill("zzz");
  await expect(page.getByText("No state or city here matches “zzz”.")).toBeVisible();
  await expect(page.getByRole("search").getByRole("status")).toHaveText("No results");
  await expectAccessible(page);
  await page.getByRole("link", { name: "See all 50 states" }).click();
  await expect(page.getByRole("heading", { name: "Browse by state", exact: true })).toBeInViewport();
});

test.describe("with a finger, at 320 px", () => {
  test.use({ viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true });

  test("A tap on an option opens it", async ({ page }) => {
    await open(page, HOME);
    await expect(search(page)).toBeInViewport();
    await search(page).tap();
    await page.keyboard.type("new");
    const option = page.getByRole("option", { name: "New Orleans Louisiana" });
    // The field moves to the top, so that the options fit above the keyboard.
    await expect.poll(async () => (await search(page).boundingBox())?.y ?? 640).toBeLessThan(100);
    expect(await smallTargets(page, 44)).toEqual([]);
    await expectNoHorizontalScroll(page);
    await option.tap();
    await expectScreen(page, "New Orleans, Louisiana");
  });

  test("Seven cities and the number of others fit", async ({ page }) => {
    await open(page, HOME);
    await search(page).fill("san");
    await expect(page.getByRole("option")).toHaveCount(7);
    await expect(page.getByText(/^\d+ more\. Keep typing\.$/)).toBeInViewport({ ratio: 1 });
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
