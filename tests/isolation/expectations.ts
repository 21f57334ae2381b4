import { expect, type Page } from "@playwright/test";

import { expectScreen, follow } from "../support/screens";
import { joinDialog, signUp } from "../support/signup";
import { SECTIONS, type TestedSection } from "./sections";

/** Heading of the error boundary's fallback. */
export const FALLBACK = "This part of the site is unavailable right now";

/** Expects the fallback instead of the page, within a working frame. */
export async function expectFallback(page: Page): Promise<void> {
  await expectScreen(page, FALLBACK);
  await expect(page.getByRole("main").getByRole("button", { name: "Try again" })).toBeEnabled();
  const banner = page.getByRole("banner");
  await expect(banner.getByRole("link", { name: "Colonnade Directory" })).toBeVisible();
  await expect(banner.getByRole("navigation").getByRole("link")).toHaveText(["Home", "About"]);
  const footer = page.getByRole("contentinfo");
  await expect(footer.getByRole("link")).toHaveText(["Terms", "Privacy", "About", "Safety guide", "Get help / Report"]);
  await expect(footer.getByRole("button", { name: "Join Free" })).toBeVisible();
}

/** Visits a page of every other section by client-side navigation. */
export async function expectOtherSectionsWork(page: Page, broken: string): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { sameDocument: true });
  });
  for (const section of SECTIONS.filter(({ name }) => name !== broken)) await visitSection(page, section);
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
}

async function visitSection(page: Page, { name, pattern, heading }: TestedSection): Promise<void> {
  if (name === "signup") {
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await signUp(joinDialog(page));
    await expectScreen(page, "You’re signed up");
  } else {
    await follow(page, pattern);
    await expectScreen(page, heading);
  }
}

/** Chooses 'Try again' while the fault persists, and waits for the failure. */
export async function expectRetryFails(page: Page): Promise<void> {
  const failing = page.waitForEvent("console", (message) => message.text().startsWith("[shell] the section "));
  await page.getByRole("button", { name: "Try again" }).click();
  await failing;
  await expect(page.getByRole("button", { name: "Try again" })).toBeEnabled();
}

/** Lets the faulty code of the tests' releases succeed from now on. */
export async function clearFault(page: Page): Promise<void> {
  await page.evaluate(() => {
    Object.assign(window, { faultCleared: true });
  });
}
