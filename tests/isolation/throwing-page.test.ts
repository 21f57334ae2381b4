// A section whose pages throw, each at another point, also during hydration of what the server has rendered.
import { cp, mkdtemp, rm, symlink } from "node:fs/promises";
import os from "node:os";
import path from "node:path";

import { build } from "@colonnade/cli";
import { expect, type Page } from "@playwright/test";

import { enableReports, recordReports } from "../deployments/stub-responses";
import { expectErrorsAbout } from "../support/browser-errors";
import { deployAltered } from "../support/altered-release";
import { runChecks, type Check } from "../support/checks";
import { deployPackages } from "../support/deploy-packages.mjs";
import { test } from "../support/fixtures";
import { countElements, holdRequests, markElements, SHELL } from "../support/hydration";
import { ROOT } from "../support/repository.mjs";
import { expectScreen } from "../support/screens";
import { sectionCommand } from "../support/section-command";
import { startSite, type Site } from "../support/site.mjs";
import { clearFault, expectFallback, expectOtherSectionsWork, expectRetryFails } from "./expectations";

// Message of the error that the pages throw.
const FAULT = "a fault of this release";
const HEADING = "The fault is cleared";
// React's own error when it cannot hydrate.
const HYDRATION_ERROR = "React error #422";

// One worker builds the section for all tests.
test.describe.configure({ mode: "default" });

let folder: string;
let own: Site;
test.beforeAll(async ({ site }) => {
  folder = await mkdtemp(path.join(os.tmpdir(), "colonnade-faulty-"));
  await cp(path.join(ROOT, "tests/support/faulty-section"), folder, { recursive: true });
  await symlink(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  await build(folder, { final: false });
  own = await startSite({ base: site });
  await deployPackages(own.access, [folder]);
});
test.afterAll(async () => {
  await own.stop();
  await rm(folder, { recursive: true, force: true });
});

test("A page falls back when it throws, its team sees the error, and a retry recovers", async ({
  page,
  browserErrors,
}) => {
  const expectContained = async (place: string): Promise<void> => {
    await page.goto(`${own.url}/faulty/${place}`);
    await expectFallback(page);
    await clearFault(page);
    await page.getByRole("button", { name: "Try again" }).click();
    await expectScreen(page, HEADING);
    expectErrorsAbout(browserErrors, FAULT);
  };
  await runChecks(
    ["data", "head", "render", "effect"].map((place): Check => [`in ${place}`, () => expectContained(place)]),
  );
  await page.goto(`${own.url}/faulty/render`);
  await expectFallback(page);
  await expectOtherSectionsWork(page, "faulty");
  expectErrorsAbout(browserErrors, FAULT);
  const section = sectionCommand(own.access);
  const readErrors = async (): Promise<unknown> =>
    (JSON.parse(await section(folder, "errors", "--json")) as { errors: unknown }).errors;
  const error = { section: "faulty", page: "/faulty/render", source: "browser", cause: "render", class: "Error" };
  const position: unknown = expect.stringMatching(/^src\/page\.js:6:\d+$/);
  await expect.poll(readErrors).toContainEqual(expect.objectContaining({ ...error, position }));
});

/** Opens the document without the shell. The returned function starts the shell and waits for the error. */
async function openUnhydrated(page: Page): Promise<() => Promise<void>> {
  const startShell = await holdRequests(page, SHELL);
  await page.goto(`${own.url}/faulty/hydration`, { waitUntil: "commit" });
  await expectScreen(page, HEADING);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  return async () => {
    const thrown = page.waitForEvent("console", (message) => message.text().startsWith("[shell]"));
    startShell();
    await thrown;
  };
}

test("A page that throws during hydration stays usable until it is left", async ({ page, browserErrors }) => {
  await enableReports(page, 100);
  const reports = await recordReports(page);
  const startHydration = await openUnhydrated(page);
  const marked = await markElements(page);
  await page.getByText("A question").click();
  const field = page.getByRole("textbox", { name: "Words" });
  await field.fill("some words");
  await page.evaluate(() => {
    Object.assign(window, { sameDocument: true });
    document.addEventListener("focusout", () => Object.assign(window, { focusLost: true }));
  });
  await startHydration();

  await test.step("Elements, input and focus survive, and the error is reported", async () => {
    await expect.poll(() => reports.length).toBe(1);
    const body = reports[0]?.postDataJSON() as { release: string };
    expect(body).toMatchObject({ phase: "render", error: "Error" });
    expect(body.release).toMatch(/^faulty@/);
    expect(await countElements(page)).toEqual({ preserved: marked, added: 0 });
    await expect(page.locator("main > div > .page").getByRole("heading", { level: 1 })).toHaveText(HEADING);
    await expect(page.getByText("An answer")).toBeVisible();
    await expect(field).toHaveValue("some words");
    await expect(field).toBeFocused();
    expect(await page.evaluate(() => "focusLost" in window)).toBe(false);
  });

  await test.step("Links keep working, and coming back retries", async () => {
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
  });
  expectErrorsAbout(browserErrors, FAULT, HYDRATION_ERROR);
});

// Last, because it deploys another release.
test("A page that keeps throwing reloads with the live release", async ({ page, browserErrors }) => {
  await page.goto(`${own.url}/faulty/render`);
  await expectFallback(page);
  await expectRetryFails(page);
  await deployAltered(own, folder, (_, text) => text.replaceAll("globalThis.faultCleared", "true"));
  await page.getByRole("button", { name: "Try again" }).click();
  await expectScreen(page, HEADING);
  expectErrorsAbout(browserErrors, FAULT);
});
