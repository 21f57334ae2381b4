import { expect, type Locator } from "@playwright/test";

const FORMAT = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" });

/** Expects an element to show `label` and today's date (UTC). Midnight may pass during the check. */
export async function expectToday(locator: Locator, label: string): Promise<void> {
  const before = new Date();
  await expect(locator).toBeVisible();
  const days = [before, new Date()].map((day) => `${label} ${FORMAT.format(day)}`);
  expect(days).toContain(await locator.innerText());
}
