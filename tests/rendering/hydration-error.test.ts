// A page that renders on the server and throws during hydration.
import type { Page } from "@playwright/test";

import { enableReports, recordReports } from "../deployments/stub-responses";
import { clearFault, expectErrorsAbout, expectFallback } from "../isolation/expectations";
import { FAULT, useFaultySite } from "../support/faulty-site";
import { expect, test } from "../support/fixtures";
import { countElements, holdRequests, markElements, SHELL } from "../support/hydration";
import { expectScreen } from "../support/screens";

const PATH = "/faulty/hydration";
const HEADING = "The fault is cleared";
// React's own error when it cannot hydrate.
const HYDRATION_ERROR = "React error #422";

const faulty = useFaultySite();

/** Opens the document without the shell. The returned function starts the shell and waits for the error. */
async function openPage(page: Page): Promise<() => Promise<void>> {
  const startShell = await holdRequests(page, SHELL);
  await page.goto(faulty.site.url + PATH, { waitUntil: "commit" });
  await expectScreen(page, HEADING);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  return async () => {
    const thrown = page.waitForEvent("console", (message) => message.text().startsWith("[shell]"));
    startShell();
    await thrown;
  };
}

test("Elements, input and focus survive; the error is reported", async ({ page, browserErrors }) => {
  await enableReports(page, 100);
  const reports = await recordReports(page);
  const startHydration = await openPage(page);
  const marked = await markElements(page);
  await page.getByText("A question").click();
  const field = page.getByRole("textbox", { name: "Words" });
  await field.fill("some words");
  await page.evaluate(() => {
    document.addEventListener("focusout", () => Object.assign(window, { focusLost: true }));
  });
  await startHydration();
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.postDataJSON()).toMatchObject({
    release: expect.stringMatching(/^faulty@/),
    phase: "render",
    error: "Error",
  });
  expect(await countElements(page)).toEqual({ preserved: marked, added: 0 });
  await expect(page.locator("main > div > .page").getByRole("heading", { level: 1 })).toHaveText(HEADING);
  await expect(page.getByText("An answer")).toBeVisible();
  await expect(field).toHaveValue("some words");
  await expect(field).toBeFocused();
  expect(await page.evaluate(() => "focusLost" in window)).toBe(false);
  expectErrorsAbout(browserErrors, FAULT, HYDRATION_ERROR);
});

test("Links keep working, and coming back retries", async ({ page, browserErrors }) => {
  const startHydration = await openPage(page);
  const marked = await markElements(page);
  await startHydration();
  await page.evaluate(() => {
    Object.assign(window, { sameDocument: true });
  });
  await page.getByRole("link", { name: "what is below" }).click();
  await expect(page).toHaveURL(/#below$/);
  await expect(page.getByRole("heading", { name: "What is below" })).toBeFocused();
  expect((await countElements(page)).preserved).toBe(marked);
  await page.getByRole("link", { name: "The terms" }).click();
  await expectScreen(page, "Terms of use");
  await expect(page.getByText("A question")).toHaveCount(0);

  await page.goBack();
  await expectFallback(page);
  await clearFault(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await expectScreen(page, HEADING);
  await expect(page.getByText("A question")).toHaveCount(1);
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  expectErrorsAbout(browserErrors, FAULT, HYDRATION_ERROR);
});
