import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { takenOver } from "../support/hydration";
import { expectScreen, follow } from "../support/screens";

/** What the links of menu and footer say of a page: that it is theirs (`page`), or that it stands below theirs (`true`). */
const PLACES = [
  { path: "/", heading: "Browse by state. Know what you are reading.", marked: { Home: "page" } },
  { path: "/about-escort-babylon", heading: "About Colonnade Directory", marked: { About: "page" } },
  { path: "/about-escort-babylon/red-flags", heading: "Red flags", marked: { About: "true" } },
  { path: "/terms", heading: "Terms of use", marked: { Terms: "page" } },
  { path: "/city/Texas/Houston", heading: "Houston, Texas", marked: {} },
] as const;

const MENU = ["Home", "About"];
const FOOTER = ["Terms", "Privacy", "About"];

async function marksOf(page: Page): Promise<{ label: string; mark: string | null }[]> {
  const links = page.locator("header nav[aria-label=Main] a, footer nav a");
  return links.evaluateAll((all) =>
    all.map((link) => ({ label: link.textContent, mark: link.getAttribute("aria-current") })),
  );
}

function expected(marked: Readonly<Record<string, string>>): { label: string; mark: string | null }[] {
  return [...MENU, ...FOOTER].map((label) => ({ label, mark: marked[label] ?? null }));
}

test("menu and footer say which of their pages is shown, after each step within the document", async ({ page }) => {
  await page.goto("/privacy");
  await expectScreen(page, "Privacy policy");
  await takenOver(page);
  for (const { path, heading, marked } of PLACES) {
    await follow(page, path);
    await expectScreen(page, heading);
    expect(await marksOf(page), path).toEqual(expected(marked));
  }
  await page.goBack();
  await expectScreen(page, "Terms of use");
  expect(await marksOf(page)).toEqual(expected({ Terms: "page" }));
});

test.describe("without script", () => {
  test.use({ javaScriptEnabled: false });

  test("menu and footer say which of their pages is shown, as the document comes", async ({ page }) => {
    for (const { path, heading, marked } of PLACES) {
      await page.goto(path);
      await expectScreen(page, heading);
      expect(await marksOf(page), path).toEqual(expected(marked));
    }
  });
});

for (const forcedColors of ["none", "active"] as const) {
  test.describe(`forced colours: ${forcedColors}`, () => {
    test.use({ forcedColors });

    test("the page that is shown is marked by more than a colour, in the menu and in the footer", async ({ page }) => {
      await page.goto("/about-escort-babylon/red-flags");
      await expectScreen(page, "Red flags");
      await page.getByRole("banner").getByText("Menu", { exact: true }).click();
      const menu = page.getByRole("navigation", { name: "Main" });
      await expect(menu.getByRole("link", { name: "About" })).toHaveCSS("border-left", /^3px solid/);
      await expect(menu.getByRole("link", { name: "Home" })).toHaveCSS("border-left", /^0px/);
      const footer = page.getByRole("contentinfo");
      await expect(footer.getByRole("link", { name: "About" })).toHaveCSS("text-decoration-thickness", "2px");
      await expect(footer.getByRole("link", { name: "About" })).toHaveCSS("font-weight", "700");
      await expect(footer.getByRole("link", { name: "Terms" })).not.toHaveCSS("font-weight", "700");
    });
  });
}
