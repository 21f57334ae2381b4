import { expect, type Page } from "@playwright/test";

import type { Screen } from "./screens";

/** Expects a language, one of each landmark, a leading `h1`, no skipped heading level, and uniquely named navigations. */
export async function expectStructure(page: Page, { heading }: Screen): Promise<void> {
  await expect(page.locator("html")).toHaveAttribute("lang", "en");
  for (const landmark of ["banner", "main", "contentinfo"] as const)
    await expect(page.getByRole(landmark), landmark).toHaveCount(1);
  await expect(page.getByRole("heading", { level: 1 })).toHaveCount(1);
  const main = await page
    .getByRole("main")
    .locator("h1, h2, h3, h4, h5, h6")
    .evaluateAll((headings) =>
      headings.map((element) => ({
        level: Number(element.tagName.charAt(1)),
        text: element.textContent.trim().replace(/\s+/g, " "),
      })),
    );
  expect(main[0]).toEqual({ level: 1, text: heading });
  const skipped = main.filter(({ level, text }, index) => text === "" || level > (main[index - 1]?.level ?? 0) + 1);
  expect(skipped, "headings that are empty or skip a level").toEqual([]);
  // Landmarks of the same role need unique names.
  const names = await page.getByRole("navigation").evaluateAll((elements) =>
    elements.map((element) => {
      const label = document.getElementById(element.getAttribute("aria-labelledby") ?? "");
      return element.getAttribute("aria-label") ?? label?.textContent ?? null;
    }),
  );
  expect(names).not.toContain(null);
  expect(new Set(names).size).toBe(names.length);
}
