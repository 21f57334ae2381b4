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
export async function expectOthersWork(page: Page, broken: string): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { sameDocument: true });
  });
  for (const section of SECTIONS.filter(({ name }) => name !== broken)) await visitFromHere(page, section);
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
}

async function visitFromHere(page: Page, { name, pattern, heading }: TriedSection): Promise<void> {
  if (name === "signup") {
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await signUp(joinDialog(page));
    await expectScreen(page, "Thank you for signing up");
  } else {
    await follow(page, pattern);
    await expectScreen(page, heading);
  }
}

/** Chooses 'Try again' where that does not help yet, and waits until the attempt has failed. */
export async function tryInVain(page: Page): Promise<void> {
  const failing = page.waitForEvent("console", (message) => message.text().startsWith("[shell]"));
  await page.getByRole("button", { name: "Try again" }).click();
  await failing;
  await expect(page.getByRole("button", { name: "Try again" })).toBeEnabled();
}

/** From now on the code that was put into releases to fail does its work. */
export async function endFault(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { faultIsOver: true });
  });
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
