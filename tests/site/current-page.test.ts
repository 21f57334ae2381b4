import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { waitForHydration } from "../support/hydration";
import { expectScreen, follow } from "../support/screens";

/** Expected `aria-current` of the menu and footer links: `page` for the page itself, `true` for a parent page. */
const PAGES = [
  { path: "/", heading: "Browse by state. Know what you’re reading.", marked: { Home: "page" } },
  { path: "/about-escort-babylon", heading: "About Colonnade Directory", marked: { About: "page" } },
  {
    path: "/about-escort-babylon/safety-guide",
    heading: "Safety guide",
    marked: { About: "true", "Safety guide": "page" },
  },
  { path: "/about-escort-babylon/red-flags", heading: "Red flags", marked: { About: "true" } },
  { path: "/terms", heading: "Terms of use", marked: { Terms: "page" } },
  { path: "/city/Texas/Houston", heading: "Houston, Texas", marked: {} },
] as const;

const MENU = ["Home", "About"];
const FOOTER = ["Terms", "Privacy", "About", "Safety guide", "Get help / Report"];

async function currentMarks(page: Page): Promise<{ label: string; mark: string | null }[]> {
  const links = page.locator("header nav[aria-label=Main] a, footer nav a");
  return links.evaluateAll((all) =>
    all.map((link) => ({ label: link.textContent, mark: link.getAttribute("aria-current") })),
  );
}

function expected(marked: Readonly<Record<string, string>>): { label: string; mark: string | null }[] {
  return [...MENU, ...FOOTER].map((label) => ({ label, mark: marked[label] ?? null }));
}

test("aria-current follows client-side navigation", async ({ page }) => {
  await page.goto("/privacy");
  await expectScreen(page, "Privacy policy");
  await waitForHydration(page);
  for (const { path, heading, marked } of PAGES) {
    await follow(page, path);
    await expectScreen(page, heading);
    expect(await currentMarks(page), path).toEqual(expected(marked));
  }
  await page.goBack();
  await expectScreen(page, "Terms of use");
  expect(await currentMarks(page)).toEqual(expected({ Terms: "page" }));
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("aria-current is set in the document", async ({ page }) => {
    for (const { path, heading, marked } of PAGES) {
      await page.goto(path);
      await expectScreen(page, heading);
      expect(await currentMarks(page), path).toEqual(expected(marked));
    }
  });
});

test("The current page is marked by more than color", async ({ page }) => {
  for (const forcedColors of ["none", "active"] as const) {
    await page.emulateMedia({ forcedColors });
    await page.setViewportSize({ width: 700, height: 800 });
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
    await page.setViewportSize({ width: 1280, height: 800 });
    const [property, value] =
      forcedColors === "active" ? (["text-decoration-line", "underline"] as const) : (["box-shadow", /inset/] as const);
    await expect(menu.getByRole("link", { name: "About" })).toHaveCSS(property, value);
    await expect(menu.getByRole("link", { name: "Home" })).not.toHaveCSS(property, value);
  }
});
