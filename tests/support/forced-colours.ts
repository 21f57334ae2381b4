import { expect, type Page } from "@playwright/test";

/** In the visitor's own colours, buttons, fields and cards keep an edge, and what has the focus keeps its ring. */
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
  expect(bare, "nothing but colour says what these are").toEqual([]);
  await page.keyboard.press("Tab");
  await expect(page.locator(":focus")).toHaveCSS("outline-style", "solid");
  await page.emulateMedia({ forcedColors: "none" });
}
