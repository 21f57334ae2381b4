import type { Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expectHttpError } from "../support/http-errors";
import { expect, test } from "../support/fixtures";
import { expectNoHorizontalScroll } from "../support/layout";

// An encoded slash in a segment: the gateway answers with its own error page, without the shell.
const BAD = "/state/%2F";

/** Returns the colors and fonts of a page. */
async function appearanceOf(page: Page, button: string): Promise<Record<string, string | readonly string[]>> {
  return page.evaluate((buttonSelector) => {
    // The error page loads no font, so only the fallbacks are compared.
    const fallbacksOf = (fonts: string): string => fonts.slice(fonts.indexOf("ui-serif"));
    const read = (selector: string, property: "color" | "backgroundColor" | "fontFamily"): string => {
      const found = document.querySelector(selector);
      if (!found) throw new Error(`${selector} not found`);
      return getComputedStyle(found)[property];
    };
    const transparent = "rgba(0, 0, 0, 0)";
    const backgrounds = [read("body", "backgroundColor"), read("html", "backgroundColor")];
    return {
      background: backgrounds.find((color) => color !== transparent) ?? transparent,
      text: read("body", "color"),
      header: read("header", "backgroundColor"),
      heading: fallbacksOf(read("h1", "fontFamily")),
      brand: fallbacksOf(read("header a", "fontFamily")),
      button: read(buttonSelector, "backgroundColor"),
      logo: [...document.querySelectorAll("header .brand, header .logo > svg")].map((logo) =>
        logo.matches(".brand") ? getComputedStyle(logo, "::before").backgroundColor : getComputedStyle(logo).fill,
      ),
      buttonText: read(buttonSelector, "color"),
    };
  }, button);
}

test("The gateway's error page looks like the site, fits a narrow phone and links home", async ({
  page,
  browserErrors,
}) => {
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto("/nowhere");
    const site = await appearanceOf(page, "main .button");
    await expectHttpError(browserErrors, 404);
    await page.goto(BAD);
    await expect(page).toHaveTitle("This address doesn’t work - Colonnade Directory");
    expect(await appearanceOf(page, "main .button")).toEqual(site);
    await expectAccessible(page, { colorsOnly: colorScheme === "dark" });
    await expect(page.locator("script")).toHaveCount(0);
    await expectHttpError(browserErrors, 400);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await expectNoHorizontalScroll(page);
  const id = page.getByText(/^Request ID/);
  // The words, and the whole ID.
  expect(
    await id.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      return new Set([...range.getClientRects()].map(({ y }) => y)).size;
    }),
  ).toBeLessThanOrEqual(2);
  await page.getByRole("link", { name: "Return to home" }).click();
  await expect(page).toHaveURL("/");
});
