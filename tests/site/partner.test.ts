import { test, expect } from "../support/own-site";
import { expectFailedSignups, openDialog, signUp, openPage } from "../support/signup";

test("The countdown ends at the partner, also when the gateway is down", async ({
  page,
  startOwnSite,
  browserErrors,
}) => {
  const own = await startOwnSite();
  const partner = `${own.backend.url}/partner?subid=colonnade`;
  const start = new Date("2026-01-01T12:00:00Z");
  await page.clock.install({ time: start });
  await openPage(page, `${own.url}/terms`);
  const dialog = await openDialog(page);
  // Paused only now: React needs a running clock to reveal Suspense content.
  await page.clock.pauseAt(start.getTime() + 3_600_000);
  await own.gateway.stop();
  await signUp(dialog);
  await expect(dialog.getByRole("button", { name: "Stop" })).toBeFocused();
  await expectFailedSignups(browserErrors, 1);
  const entries = await page.evaluate(() => history.length);
  await page.clock.runFor(9_000);
  await expect(dialog.getByRole("timer")).toHaveText("Taking you to Example Partner in 1 second.");
  expect(new URL(page.url()).pathname).toBe("/terms");
  const arriving = page.waitForRequest(`${own.backend.url}/**`);
  await page.clock.runFor(1_000);
  const request = await arriving;
  expect([request.method(), request.url()]).toEqual(["GET", partner]);
  expect(request.headers().referer).toBeUndefined();
  await expect(page.getByRole("heading", { name: "Development partner" })).toBeVisible();
  expect(page.url()).toBe(partner);
  // A new history entry, so Back returns to the site.
  expect(await page.evaluate(() => history.length)).toBe(entries + 1);
});
