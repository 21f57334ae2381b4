import { expect, type Page } from "@playwright/test";

/** Expects buttons, fields and cards to keep a border, and the focused element its outline, in forced-colors mode. */
export async function expectEdges(page: Page): Promise<void> {
  await page.emulateMedia({ forcedColors: "active" });
  const bare = await page.locator("button, .button, input, .card").evaluateAll((elements) =>
    elements
      .filter((element) => element.checkVisibility())
      .filter((element) => {
        const { borderTopStyle, borderTopWidth, textDecorationLine } = getComputedStyle(element);
        const hasEdge = borderTopStyle !== "none" && parseFloat(borderTopWidth) >= 1;
        return !hasEdge && textDecorationLine === "none" && element.querySelector("svg") === null;
      })
      .map((element) => element.outerHTML.slice(0, 120)),
  );
  expect(bare, "elements that only color distinguishes").toEqual([]);
  await page.keyboard.press("Tab");
  await expect(page.locator(":focus")).toHaveCSS("outline-style", "solid");
  await page.emulateMedia({ forcedColors: "none" });
}
