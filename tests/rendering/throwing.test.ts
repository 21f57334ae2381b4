// A page that works on the server and throws in the browser, while it is taken over.
import type { Page } from "@playwright/test";

import { wantReports, watchReports } from "../deployments/stubs";
import { buildFaulty, FAULT, type Faulty } from "../isolation/build";
import { endFault, expectComplaintsAbout, expectFallback } from "../isolation/expectations";
import { expect, test } from "../support/fixtures";
import { countElements, hold, markElements, SHELL } from "../support/hydration";
import { deployPackages } from "../support/releases.mjs";
import { expectScreen } from "../support/screens";
import { startSite, type Site } from "../support/site.mjs";

const PATH = "/faulty/hydration";
const HEADING = "The fault is over";
// React says by itself that it could not take the page over.
const SWITCHED = "React error #422";

let faulty: Faulty;
let own: Site;
test.beforeAll(async ({ site }) => {
  faulty = await buildFaulty();
  own = await startSite({ like: site });
  await deployPackages(own.access, [faulty.folder]);
});
test.afterAll(async () => {
  await own.stop();
  await faulty.remove();
});

/** Opens the page's document without the shell's code. Returns what lets it come, and waits until the page has thrown. */
async function openPage(page: Page): Promise<() => Promise<void>> {
  const startShell = await hold(page, SHELL);
  await page.goto(own.url + PATH, { waitUntil: "commit" });
  await expectScreen(page, HEADING);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  return async () => {
    const thrown = page.waitForEvent("console", (message) => message.text().startsWith("[shell]"));
    startShell();
    await thrown;
  };
}

test("every element stays, with what was typed, opened and focused, and the failure is reported", async ({
  page,
  complaints,
}) => {
  await wantReports(page, 100);
  const reports = await watchReports(page);
  const letThrow = await openPage(page);
  const marked = await markElements(page);
  await page.getByText("A question").click();
  const field = page.getByRole("textbox", { name: "Words" });
  await field.fill("some words");
  await page.evaluate(() => {
    document.addEventListener("focusout", () => Object.assign(window, { focusLost: true }));
  });
  await letThrow();
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.postDataJSON()).toMatchObject({
    release: expect.stringMatching(/^faulty@/),
    phase: "render",
    error: "Error",
  });
  expect(await countElements(page)).toEqual({ kept: marked, others: 0 });
  await expect(page.locator("main > .page").getByRole("heading", { level: 1 })).toHaveText(HEADING);
  await expect(page.getByText("An answer")).toBeVisible();
  await expect(field).toHaveValue("some words");
  await expect(field).toBeFocused();
  expect(await page.evaluate(() => "focusLost" in window)).toBe(false);
  expectComplaintsAbout(complaints, FAULT, SWITCHED);
});

test("its links lead, within it and elsewhere, and coming back is another attempt", async ({ page, complaints }) => {
  const letThrow = await openPage(page);
  const marked = await markElements(page);
  await letThrow();
  await page.evaluate(() => {
    Object.assign(window, { sameDocument: true });
  });
  await page.getByRole("link", { name: "what is below" }).click();
  await expect(page).toHaveURL(/#below$/);
  await expect(page.getByRole("heading", { name: "What is below" })).toBeFocused();
  expect((await countElements(page)).kept).toBe(marked);
  await page.getByRole("link", { name: "The terms" }).click();
  await expectScreen(page, "Terms of use");
  await expect(page.getByText("A question")).toHaveCount(0);

  await page.goBack();
  await expectFallback(page);
  await endFault(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await expectScreen(page, HEADING);
  await expect(page.getByText("A question")).toHaveCount(1);
  expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  expectComplaintsAbout(complaints, FAULT, SWITCHED);
});
