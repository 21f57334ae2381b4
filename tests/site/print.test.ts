import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { ARTICLE_ROUTES, ORIGIN } from "../support/routes";
import { expectScreen } from "../support/screens";

const TEXTS = [
  ...(process.env.SOAK ? ARTICLE_ROUTES : ARTICLE_ROUTES.filter(({ path }) => /top-cities|safety-guide/.test(path))),
  { path: "/terms", heading: "Terms of use" },
  { path: "/privacy", heading: "Privacy policy" },
];

/** US Letter minus margins, in pixels. */
const PAPER = { width: 695, height: 920 };

/** Opens a page in print media, from a dark theme. */
async function print(page: Page, path: string, heading: string): Promise<void> {
  await page.setViewportSize(PAPER);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await page.goto(path);
  await expectScreen(page, heading);
  expect(await cutBorders(page), path).toEqual([]);
}

/** Returns the blocks whose border the edge of the paper or a page break cuts. */
async function cutBorders(page: Page): Promise<string[]> {
  return page.locator(":is(main, footer) *").evaluateAll((elements, { width, height }) => {
    const shown = (style: string, color: string): boolean => style !== "none" && !color.endsWith(", 0)");
    const bordered = elements.filter((element) => {
      const { display, borderTopStyle, borderTopColor, borderBottomStyle, borderBottomColor } =
        getComputedStyle(element);
      const isBlock = element.getClientRects().length > 0 && !display.startsWith("inline");
      return isBlock && shown(borderTopStyle, borderTopColor) && shown(borderBottomStyle, borderBottomColor);
    });
    const staysWhole = (element: Element | null): boolean =>
      element !== null && (getComputedStyle(element).breakInside === "avoid" || staysWhole(element.parentElement));
    const cut = bordered.filter((element) => {
      const box = element.getBoundingClientRect();
      // Printing rounds the edge of the paper down.
      return box.left < 1 || box.right > width - 1 || (box.height < height && !staysWhole(element));
    });
    return cut.map((element) => element.outerHTML.slice(0, 80));
  }, PAPER);
}

/** Returns the text of each visible link, and the URL printed after it, if any. */
async function printedLinks(page: Page): Promise<{ words: string; printed: string }[]> {
  return page.locator(":is(article, .prose) a:visible").evaluateAll((links) =>
    links.map((link) => ({
      words: link.textContent,
      printed: getComputedStyle(link, "::after").content.replace(/^none$|"/g, ""),
    })),
  );
}

test("Texts print without controls, nothing cut off, dark on white", async ({ page }) => {
  const unprinted: string[] = [];
  for (const { path, heading } of TEXTS) {
    await print(page, path, heading);
    for (const role of ["banner", "button", "navigation", "dialog"] as const)
      await expect(page.getByRole(role)).toHaveCount(0);
    const footer = page.getByRole("contentinfo");
    await expect(footer).toHaveText(/^Colonnade Directory\s*18\+ only$/, { useInnerText: true });
    await expect(footer).toHaveCSS("break-inside", "avoid");
    const address = await footer.locator("p").evaluate((line) => getComputedStyle(line, "::after").content);
    expect(address).toBe(`"${ORIGIN}${path}"`);
    const cutOff = await page.getByRole("main").evaluate((main) => {
      const elements = [...main.querySelectorAll("*")].filter((element) => element.getClientRects().length > 0);
      const beyond = elements.filter((element) => element.getBoundingClientRect().right > innerWidth + 1);
      const hidden = elements.filter((element) => {
        const { overflowX } = getComputedStyle(element);
        return overflowX !== "visible" && element.scrollWidth > element.clientWidth;
      });
      return [...beyond, ...hidden].map((element) => element.outerHTML.slice(0, 80));
    });
    expect(cutOff, path).toEqual([]);
    const text = page.getByRole("main").locator(".prose p").first();
    const color = await text.evaluate((paragraph) => getComputedStyle(paragraph).color);
    for (const part of color.match(/\d+/g) ?? []) expect(Number(part), color).toBeLessThan(128);
    await expect(page.locator("html")).toHaveCSS("background-color", "rgba(0, 0, 0, 0)");

    const links = await printedLinks(page);
    for (const { words, printed } of links) {
      expect(printed, words).toMatch(/^$|^ \(https?:/);
      const address = printed.replace(/^ \(https?:\/\/(www\.)?|\/?\)$/g, "");
      expect(address.toLowerCase(), `after ${words}, ${path}`).not.toBe(words.toLowerCase());
      if (printed === "") unprinted.push(words);
    }
    if (path.endsWith("/top-cities")) {
      expect(links).toContainEqual({
        words: "GeoNames, licensed under CC BY 4.0",
        printed: " (https://www.geonames.org/)",
      });
      await page.emulateMedia({ media: "screen" });
      expect((await printedLinks(page)).filter(({ printed }) => printed !== "")).toEqual([]);
    }
  }
  // A link whose text is its URL prints it once. A link within the site prints none.
  expect(unprinted).toEqual(
    expect.arrayContaining(["https://www.geonames.org/", "humantraffickinghotline.org", "ic3.gov", "New York"]),
  );
  const gaps = await page.locator("main section, main section ~ *").evaluateAll((parts) =>
    parts.slice(1).map((part, index) => {
      const before = parts[index]?.getBoundingClientRect().bottom ?? 0;
      return part.getBoundingClientRect().top - before;
    }),
  );
  expect(gaps.length, "sections of the privacy policy").toBeGreaterThan(13);
  expect(Math.min(...gaps)).toBeGreaterThan(8);
});

test("A list prints without its filter", async ({ page }) => {
  await print(page, "/state/New%20York", "Escorts in New York");
  await expect(page.getByRole("link", { name: /^Albany\b/ })).toBeVisible();
  await expect(page.getByRole("search")).toHaveCount(0);
  await expect(page.getByRole("searchbox")).toHaveCount(0);
});

test("Collapsed answers are printed", async ({ page }) => {
  await print(page, "/", "Browse by state. Know what you’re reading.");
  const answers = page.getByRole("main").locator("details > :not(summary)");
  expect(await answers.count()).toBeGreaterThan(3);
  for (const answer of await answers.all()) await expect(answer).toBeVisible();
});

/** Returns the number of pages of the current page on US Letter. */
async function countPrintedPages(page: Page): Promise<number> {
  const pdf = await page.pdf({ format: "Letter", preferCSSPageSize: true });
  return pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

test("Long lists print on few pages", async ({ page }) => {
  for (const [path, heading, pages] of [
    ["/city/Texas/Houston", "Houston, Texas", 6],
    ["/state/California", "Escorts in California", 6],
  ] as const) {
    await print(page, path, heading);
    await expect(page.getByText("Loading ads...")).toHaveCount(0);
    const count = await countPrintedPages(page);
    expect(count, path).toBeGreaterThan(1);
    expect(count, path).toBeLessThanOrEqual(pages);
  }
});
