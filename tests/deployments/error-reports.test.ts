import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { expectErrorsAbout, expectFallback, expectRetryFails } from "../isolation/expectations";
import { findFile } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";
import { openPage } from "../support/signup";
import { alterDocuments, deleteDeployment, serveNotFound, enableReports, recordReports } from "./stub-responses";

const ABOUT = "/about-escort-babylon";

async function contentOf(page: Page): Promise<{ deployment: number; release: string; page: string }> {
  const { deployment, page: answer } = JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot;
  if (!answer) throw new Error("the document has no page");
  return { deployment, release: `${answer.section.name}@${answer.section.version}`, page: answer.pattern };
}

test("An error is reported once, with release, page and class", async ({ page, site, browserErrors }) => {
  await enableReports(page, 100);
  const reports = await recordReports(page);
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await serveNotFound(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.method()).toBe("POST");
  expect(reports[0]?.headers()["content-type"]).toBe("application/json");
  expect(reports[0]?.postDataJSON()).toEqual({
    ...(await contentOf(page)),
    phase: "load",
    error: "ChunkLoadError",
  });

  await expectRetryFails(page);
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expect(reports).toHaveLength(1);
  expectErrorsAbout(browserErrors, path);
});

test("Errors of the sign-up dialog are reported", async ({ page, site, browserErrors }) => {
  await enableReports(page, 100);
  const reports = await recordReports(page);
  const { path } = await findFile(site, "signup", "join", "entry");
  await serveNotFound(page, path);
  await openPage(page, ABOUT);
  await page.getByRole("button", { name: "Join Now" }).click();
  await expect(page.getByRole("dialog", { name: "Sign-up is unavailable" })).toBeVisible();
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.postDataJSON()).toMatchObject({ release: expect.stringMatching(/^signup@/), phase: "load" });
  expectErrorsAbout(browserErrors, path);
});

test("Missing files of a deleted deployment are not reported", async ({ page, site, browserErrors }) => {
  await enableReports(page, 100);
  const reports = await recordReports(page);
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await deleteDeployment(page);
  await serveNotFound(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expect(reports).toEqual([]);
  expectErrorsAbout(browserErrors, path, "/_page/");
});

test("Nothing is reported unless the gateway requests reports", async ({ page, site, browserErrors }) => {
  const reports = await recordReports(page);
  await alterDocuments(page, (html) => html.replace(/,"reports":\{[^}]*\}/, ""));
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await serveNotFound(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expect(reports).toEqual([]);
  expectErrorsAbout(browserErrors, path);
});

test("Offline errors are not reported", async ({ page, context, browserErrors }) => {
  await enableReports(page, 100);
  const reports = await recordReports(page);
  await openPage(page, "/terms");
  // The prefetch of the sign-up dialog would otherwise fail while the connection changes.
  await page.waitForLoadState("networkidle");
  await context.setOffline(true);
  await follow(page, ABOUT);
  await expectScreen(page, "You’re offline");
  await context.setOffline(false);
  await expectScreen(page, "About Colonnade Directory");
  expect(reports).toEqual([]);
  expectErrorsAbout(browserErrors, "ERR_INTERNET_DISCONNECTED", "/_page/");
});
