import type { Boot } from "@colonnade/kit/shell";
import { expect, type Page } from "@playwright/test";

import { expectFallback, expectRetryFails } from "../isolation/expectations";
import { expectErrorsAbout } from "../support/browser-errors";
import { findFile } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen, follow } from "../support/screens";
import { serveNotFound, enableReports, recordDocuments, recordReports } from "./stub-responses";

const ABOUT = "/about-escort-babylon";

async function contentOf(page: Page): Promise<{ deployment: string; release: string; page: string }> {
  const { deployment, page: answer } = JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot;
  if (!answer) throw new Error("the document has no page");
  return { deployment, release: `${answer.section.name}@${answer.section.version}`, page: answer.pattern };
}

test("An error is reported once, with release, page and class", async ({ page, site, browserErrors }) => {
  await enableReports(page, 100);
  const reports = await recordReports(page);
  const documents = recordDocuments(page);
  const { path } = await findFile(site, "articles", ABOUT, "script");
  const { path: dialog } = await findFile(site, "signup", "./join", "entry");
  await serveNotFound(page, path);
  await serveNotFound(page, dialog);
  await page.goto(ABOUT);
  await expectFallback(page);
  const bodies = (): unknown[] => reports.map((report) => report.postDataJSON() as unknown);
  // What loads files is in the entry of the section.
  const position: unknown = expect.stringMatching(/^entry\.[0-9a-f]{8}\.js:\d+:\d+$/);
  const error = { ...(await contentOf(page)), phase: "load", error: "ChunkLoadError", position };
  await expect.poll(bodies).toContainEqual(error);
  expect(reports[0]?.method()).toBe("POST");
  expect(reports[0]?.headers()["content-type"]).toBe("application/json");

  await expectRetryFails(page);
  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  // The other one is that of the dialog, which the browser loads ahead of time.
  const releases = () => reports.map((report) => (report.postDataJSON() as { release: string }).release).sort();
  await expect.poll(releases).toEqual([expect.stringMatching(/^articles@/), expect.stringMatching(/^signup@/)]);
  // The deployment is retained, so the page did not reload.
  expect(documents).toEqual([ABOUT]);
  expectErrorsAbout(browserErrors, path, dialog);
});
