import type { Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expectRefused } from "../support/failures";
import { expect, test } from "../support/fixtures";
import { expectNoSidewaysScroll } from "../support/layout";

// A slash that was hidden in a segment: the gateway answers by itself, without the shell.
const BAD = "/state/%2F";

/** How a page looks: its ground, its text, its header and the way on. */
async function faceOf(page: Page, button: string): Promise<Record<string, string>> {
  return page.evaluate((way) => {
    const read = (selector: string, property: "color" | "backgroundColor" | "fontFamily"): string => {
      const found = document.querySelector(selector);
      if (!found) throw new Error(`there is no ${selector}`);
      return getComputedStyle(found)[property];
    };
    const transparent = "rgba(0, 0, 0, 0)";
    const grounds = [read("body", "backgroundColor"), read("html", "backgroundColor")];
    return {
      ground: grounds.find((color) => color !== transparent) ?? transparent,
      text: read("body", "color"),
      header: read("header", "backgroundColor"),
      heading: read("h1", "fontFamily"),
      brand: read("header a", "fontFamily"),
      way: read(way, "backgroundColor"),
      wayText: read(way, "color"),
    };
  }, button);
}

for (const colorScheme of ["light", "dark"] as const) {
  test(`a page of the gateway's own has the site's face, ${colorScheme}`, async ({ page, complaints }) => {
    await page.emulateMedia({ colorScheme });
    await page.goto("/nowhere");
    const site = await faceOf(page, "main .button");
    await expectRefused(complaints, 404);
    await page.goto(BAD);
    await expect(page).toHaveTitle("That address does not work - Colonnade Directory");
    expect(await faceOf(page, "main .button")).toEqual(site);
    await expectAccessible(page);
    await expect(page.locator("script")).toHaveCount(0);
    await expectRefused(complaints, 400);
  });
}

test("it reads well on a narrow phone, and leads home", async ({ page, complaints }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(BAD);
  await expectNoSidewaysScroll(page);
  await expectRefused(complaints, 400);
  await page.getByRole("link", { name: "Return to home" }).click();
  await expect(page).toHaveURL("/");
});
