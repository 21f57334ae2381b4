import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { expectComplaintsAbout, expectFallback, tryInVain } from "../isolation/expectations";
import { findFile } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";
import { visit } from "../support/signup";
import { alterDocuments, forgetDeployment, lose, wantReports, watchReports } from "./stubs";

const ABOUT = "/about-escort-babylon";

async function releaseOf(page: Page): Promise<{ deployment: number; release: string }> {
  const { deployment, page: answer } = JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot;
  if (!answer) throw new Error("the document is of no page");
  return { deployment, release: `${answer.section.name}@${answer.section.version}` };
}

test("names the release that failed, when, and the class of the error: once, and nothing else", async ({
  page,
  site,
  complaints,
}) => {
  await wantReports(page, 100);
  const reports = await watchReports(page);
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await lose(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.method()).toBe("POST");
  expect(reports[0]?.headers()["content-type"]).toBe("application/json");
  expect(reports[0]?.postDataJSON()).toEqual({
    ...(await releaseOf(page)),
    phase: "load",
    error: "ChunkLoadError",
  });

  await tryInVain(page);
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expect(reports).toHaveLength(1);
  expectComplaintsAbout(complaints, path);
});

test("counts the join dialog, too", async ({ page, site, complaints }) => {
  await wantReports(page, 100);
  const reports = await watchReports(page);
  const { path } = await findFile(site, "signup", "join", "entry");
  await lose(page, path);
  await visit(page, ABOUT);
  await page.getByRole("button", { name: "Join Now" }).click();
  await expect(page.getByRole("dialog", { name: "Sign-up is unavailable" })).toBeVisible();
  await expect.poll(() => reports.length).toBe(1);
  expect(reports[0]?.postDataJSON()).toMatchObject({ release: expect.stringMatching(/^signup@/), phase: "load" });
  expectComplaintsAbout(complaints, path);
});

test("says nothing of a file that went with the tab's deployment", async ({ page, site, complaints }) => {
  await wantReports(page, 100);
  const reports = await watchReports(page);
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await forgetDeployment(page);
  await lose(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expect(reports).toEqual([]);
  expectComplaintsAbout(complaints, path, "/_page/");
});

test("says nothing where the gateway does not ask", async ({ page, site, complaints }) => {
  const reports = await watchReports(page);
  await alterDocuments(page, (html) => html.replace(/,"reports":\{[^}]*\}/, ""));
  const { path } = await findFile(site, "articles", ABOUT, "script");
  await lose(page, path);
  await page.goto(ABOUT);
  await expectFallback(page);
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  expect(reports).toEqual([]);
  expectComplaintsAbout(complaints, path);
});

test("says nothing of what fails without a connection", async ({ page, context, complaints }) => {
  await wantReports(page, 100);
  const reports = await watchReports(page);
  await visit(page, "/terms");
  await context.setOffline(true);
  await follow(page, ABOUT);
  await expectScreen(page, "You are offline");
  await context.setOffline(false);
  await expectScreen(page, "About Colonnade Directory");
  expect(reports).toEqual([]);
  expectComplaintsAbout(complaints, "ERR_INTERNET_DISCONNECTED", "/_page/");
});
