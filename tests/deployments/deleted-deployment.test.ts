import { expectErrorsAbout } from "../support/browser-errors";
import { findFile } from "../support/damage";
import { expect, test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import { joinDialog, openPage } from "../support/signup";
import { deleteDeployment, serveNotFound, recordDocuments, recordFallbacks } from "./stub-responses";

const ABOUT = "/about-escort-babylon";

// The deployment stays live. Only the stubbed responses say it was deleted, so a reload returns the same one.
test("A dialog of a deleted deployment opens after a reload", async ({ page, site, browserErrors }) => {
  const fallbacks = await recordFallbacks(page);
  const documents = recordDocuments(page);
  const { path } = await findFile(site, "signup", "./join", "script");
  await deleteDeployment(page);
  await serveNotFound(page, path, { documents: 2 });
  await openPage(page, ABOUT);
  expect(documents).toEqual([ABOUT]);
  await page.getByRole("button", { name: "Join Now" }).click();
  await expect(joinDialog(page)).toBeVisible();
  expect(documents).toEqual([ABOUT, ABOUT]);
  expect(fallbacks).toEqual([]);
  // It opens once.
  await page.keyboard.press("Escape");
  await page.reload();
  await expectScreen(page, "Guides");
  await expect(page.getByRole("dialog")).toHaveCount(0);
  expectErrorsAbout(browserErrors, path, "/_page/", "the deployment of this tab is gone");
});
