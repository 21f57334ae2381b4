import { expect, type Page } from "@playwright/test";

import type { Complaints } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";
import { joinDialog, signUp } from "../support/signup";
import { SECTIONS, type TriedSection } from "./sections";

/** What stands in a section's place while it cannot be shown. */
export const FALLBACK = "This part of the site is unavailable right now";

/** Expects the fallback in the page's place, and the frame around it to work. */
export async function expectFallback(page: Page): Promise<void> {
  await expectScreen(page, FALLBACK);
  await expect(page.getByRole("main").getByRole("button", { name: "Try again" })).toBeEnabled();
  const banner = page.getByRole("banner");
  await expect(banner.getByRole("link", { name: "Colonnade Directory" })).toBeVisible();
  await banner.locator("summary").click();
  await expect(banner.getByRole("navigation").getByRole("link")).toHaveText(["Home", "About"]);
  await page.keyboard.press("Escape");
  await expect(banner.getByRole("navigation")).toBeHidden();
  const footer = page.getByRole("contentinfo");
  await expect(footer.getByRole("link")).toHaveText(["Terms", "Privacy", "About"]);
  await expect(footer.getByRole("button", { name: "Join Free" })).toBeVisible();
}

/** Visits a page of every other section from where the visitor is, without loading a document. */
export async function expectOthersWork(page: Page, broken: TriedSection): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { sameDocument: true });
  });
  for (const section of SECTIONS.filter(({ name }) => name !== broken.name)) {
    if (section.name === "signup") {
      await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
      await signUp(joinDialog(page));
      await expectScreen(page, "Thank you for signing up");
    } else {
      await follow(page, section.pattern);
      await expectScreen(page, section.heading);
    }
  }
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
}

/**
 * Expects that the browser complained of the damaged files and of nothing else, and forgets it: whatever
 * it cannot load or verify it reports by itself.
 */
export function expectComplaintsAbout(complaints: Complaints, ...urls: string[]): void {
  const others = complaints.errors.filter((error) => !urls.some((url) => error.includes(url)));
  expect(others).toEqual([]);
  complaints.errors.length = 0;
}
