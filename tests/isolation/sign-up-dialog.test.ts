import path from "node:path";

import { expect, type Locator, type Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test } from "../support/own-site";
import { findFile, findScripts, PARTS, remove } from "../support/damage";
import { deployAltered } from "../support/altered-release";
import { deployPackages } from "../support/deploy-packages.mjs";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { joinDialog, signUp, openPage } from "../support/signup";
import { clearFault, expectErrorsAbout, expectRetryFails } from "./expectations";

const SIGNUP = path.join(ROOT, "mfe-signup");
const joinButton = (page: Page): Locator => page.getByRole("button", { name: "Join Now" });

// View transitions between the sections take a quarter of the CPU time, and damaged-files.test.ts runs them.
test.use({ reducedMotion: "reduce" });

async function openUnavailable(page: Page): Promise<Locator> {
  await joinButton(page).click();
  const dialog = page.getByRole("dialog", { name: "This is unavailable right now" });
  await expect(dialog).toContainText("The rest of the site works as usual.");
  return dialog;
}

async function tryAgain(page: Page): Promise<void> {
  const dialog = await openUnavailable(page);
  await dialog.getByRole("button", { name: "Try again" }).click();
  await expect(joinDialog(page)).toBeVisible();
  await expect(dialog).toHaveCount(0);
}

for (const part of PARTS)
  test(`The dialog is unavailable while its ${part} is missing`, async ({ page, uncachedSite, browserErrors }) => {
    const file = await findFile(uncachedSite, "signup", "./join", part);
    const repair = await remove(file);
    try {
      await openPage(page, `${uncachedSite.url}/about-escort-babylon`);
      const dialog = await openUnavailable(page);
      await expect(page.locator("dialog:modal")).toHaveCount(1);
      if (part === "script") await expectAccessibleInAllAppearances(page);
      await dialog.getByRole("button", { name: "Close" }).click();
      await expect(dialog).toBeHidden();
      await expect(joinButton(page)).toBeFocused();
    } finally {
      await repair();
    }
    await tryAgain(page);
    await signUp(joinDialog(page));
    await expectScreen(page, "You’re signed up");
    expectErrorsAbout(browserErrors, file.path);
  });

test("The dialog becomes unavailable when its script times out", async ({ page, site, browserErrors }) => {
  const file = await findFile(site, "signup", "./join", "script");
  const { path: entry } = await findFile(site, "signup", "./join", "entry");
  const hang = (): void => undefined;
  await page.clock.install();
  // The other files that the page requests.
  const others = [entry, ...(await findScripts(site, "signup", "./join"))].filter((other) => other !== file.path);
  const loading = Promise.all(
    others.map((other) => page.waitForEvent("requestfinished", (request) => request.url().endsWith(other))),
  );
  await page.route(`**${file.path}`, hang);
  // A script that hangs also delays the load event, if it is requested early enough.
  await openPage(page, "/about-escort-babylon", { waitUntil: "domcontentloaded" });
  await joinButton(page).click();
  await expect(page.getByRole("dialog", { name: "One moment, please" })).toBeVisible();
  // Otherwise they would time out when the clock advances.
  await loading;
  await page.clock.runFor(30_000);
  await expect(page.getByRole("dialog", { name: "This is unavailable right now" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.unroute(`**${file.path}`, hang);
  await tryAgain(page);
  expectErrorsAbout(browserErrors, file.path, 'the remote "signup/join" took longer');
});

test("The dialog is unavailable when its code throws", async ({ page, startOwnSite, browserErrors }) => {
  const own = await startOwnSite();
  await test.step("during render, until a retry", async () => {
    await deployAltered(own, SIGNUP, (file, text, { exposes }) =>
      exposes?.[0]?.assets.includes(file)
        ? // Not in the destructured props of the dialog that the section bundles.
          text.replace(/describedBy:(?=\w+\?)/, "fault:globalThis.faultCleared||globalThis.fault(),$&")
        : text,
    );
    await openPage(page, `${own.url}/about-escort-babylon`);
    const dialog = await openUnavailable(page);
    await page.keyboard.press("Escape");
    await follow(page, "/terms");
    await expectScreen(page, "Terms of use");
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await follow(page, "/about-escort-babylon");
    await clearFault(page);
    await tryAgain(page);
    expectErrorsAbout(browserErrors, "fault is not a function");
  });

  await test.step("during load, until the next release", async () => {
    await deployAltered(own, SIGNUP, (file, text, { exposes }) =>
      exposes?.[0]?.assets.includes(file) && file.endsWith(".js")
        ? `throw new Error("a fault of this release");${text}`
        : text,
    );
    await openPage(page, `${own.url}/about-escort-babylon`);
    const dialog = await openUnavailable(page);
    await expectRetryFails(page, "dialog");
    await deployPackages(own.access, [SIGNUP]);
    const reloading = page.waitForEvent("load");
    await dialog.getByRole("button", { name: "Try again" }).click();
    await reloading;
    await joinButton(page).click();
    await signUp(joinDialog(page));
    await expectScreen(page, "You’re signed up");
    expectErrorsAbout(browserErrors, "a fault of this release", "ChunkLoadError");
  });
});
