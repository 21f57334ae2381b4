// React's development build says what it finds wrong with a page.
import type { Page } from "@playwright/test";

import { expect, test } from "../support/development";
import { expectRefused } from "../support/failures";
import { ARTICLES, expectScreen, follow, MISSING, SCREENS } from "../support/screens";
import { countElements, countLoading, hold, markElements, SHELL, takenOver } from "../support/hydration";

// One after another, by one worker: each worker would build the shell for itself.
test.describe.configure({ mode: "default" });

// Chromium's own remark a few seconds after a document has loaded, which a slow machine is enough for.
const PRELOADED = "was preloaded using link preload but not used";

/** Everything that the page logs as a warning; errors are complaints of the test's own. */
function watchWarnings(page: Page): string[] {
  const warnings: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "warning" && !message.text().includes(PRELOADED)) warnings.push(message.text());
  });
  return warnings;
}

test("the shell is a development build: it complains of a page that is not what it draws", async ({
  page,
  complaints,
}) => {
  const startShell = await hold(page, SHELL);
  await page.goto("/terms", { waitUntil: "commit" });
  await expectScreen(page, "Terms of use");
  await page.getByRole("contentinfo").evaluate((footer) => {
    footer.append("words that the server did not send");
  });
  startShell();
  await takenOver(page);
  expect(complaints.errors.join()).toMatch(/hydrat/i);
  complaints.errors.length = 0;
});

for (const screen of SCREENS) {
  test(`${screen.name} is taken over without a word, and so is the dialog`, async ({ page }) => {
    const warnings = watchWarnings(page);
    const startShell = await hold(page, SHELL);
    await page.goto(screen.path, { waitUntil: "commit" });
    await expectScreen(page, screen.heading);
    await expect(page.getByRole("contentinfo")).toBeVisible();
    const staying = (await markElements(page)) - (await countLoading(page));
    startShell();
    await takenOver(page);
    expect((await countElements(page)).kept).toBe(staying);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog", { name: "Create your account" })).toBeVisible();
    expect(warnings).toEqual([]);
  });
}

test("so are the other articles", async ({ page }) => {
  const warnings = watchWarnings(page);
  for (const path of ARTICLES.map((article) => `/about-escort-babylon/${article}`)) {
    await page.goto(path);
    await takenOver(page);
  }
  expect(warnings).toEqual([]);
});

test("so are the screens for what does not exist", async ({ page, complaints }) => {
  const warnings = watchWarnings(page);
  for (const { path, heading } of MISSING) {
    await page.goto(path);
    await expectScreen(page, heading);
    await takenOver(page);
  }
  await expectRefused(complaints, 404);
  expect(warnings).toEqual([]);
});

test("nothing is said on the way from page to page either", async ({ page }) => {
  const warnings = watchWarnings(page);
  await page.goto("/");
  await takenOver(page);
  for (const { path, heading } of SCREENS.slice(1)) {
    await follow(page, path);
    await expectScreen(page, heading);
  }
  expect(warnings).toEqual([]);
});
