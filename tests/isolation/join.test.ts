import path from "node:path";

import { expect, type Locator, type Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { test } from "../support/beside";
import { findFile, findScripts, PARTS, remove } from "../support/damage";
import { hold } from "../support/hydration";
import { deployAltered } from "../support/releases";
import { deployPackages } from "../support/releases.mjs";
import { ROOT } from "../support/repository.mjs";
import { expectScreen, follow } from "../support/screens";
import { joinDialog, openDialog, signUp, visit } from "../support/signup";
import { endFault, expectComplaintsAbout, tryInVain } from "./expectations";

const SIGNUP = path.join(ROOT, "mfe-signup");
const joinButton = (page: Page): Locator => page.getByRole("button", { name: "Join Now" });
const unavailable = (page: Page): Locator => page.getByRole("dialog", { name: "Sign-up is unavailable" });

/** Expects the shell's own dialog at every button, while the rest of the site works. */
async function expectUnavailable(page: Page): Promise<void> {
  await joinButton(page).click();
  const dialog = unavailable(page);
  await expect(dialog).toContainText("The rest of the site works as usual.");
  await expect(dialog.getByRole("button", { name: "Try again" })).toBeEnabled();
  await expect(page.locator("dialog:modal")).toHaveCount(1);
  await dialog.getByRole("button", { name: "Close" }).click();
  await expect(dialog).toBeHidden();
  await expect(joinButton(page)).toBeFocused();

  await follow(page, "/terms");
  await expectScreen(page, "Terms of use");
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await follow(page, "/about-escort-babylon");
  await expectScreen(page, "About Colonnade Directory");
}

async function tryAgain(page: Page): Promise<void> {
  await joinButton(page).click();
  await unavailable(page).getByRole("button", { name: "Try again" }).click();
  await expect(joinDialog(page)).toBeVisible();
  await expect(unavailable(page)).toHaveCount(0);
  await signUp(joinDialog(page));
  await expectScreen(page, "Thank you for signing up");
}

for (const part of PARTS) {
  test(`the join dialog's ${part} is removed`, async ({ page, beside, complaints }) => {
    const own = await beside();
    const file = await findFile(own, "signup", "join", part);
    const repair = await remove(file);
    await visit(page, `${own.url}/about-escort-babylon`);
    await expectUnavailable(page);
    await repair();
    await tryAgain(page);
    expectComplaintsAbout(complaints, file.path);
  });

  test(`the join dialog's ${part} hangs: it is on its way, then unavailable`, async ({ page, site, complaints }) => {
    const file = await findFile(site, "signup", "join", part);
    const { path: entry } = await findFile(site, "signup", "join", "entry");
    const hang = (): void => undefined;
    await page.clock.install();
    // Those that are asked for besides the one that hangs.
    const others = {
      entry: [],
      stylesheet: [entry],
      script: [entry, ...(await findScripts(site, "signup", "join"))].filter((other) => other !== file.path),
    }[part];
    const arriving = Promise.all(
      others.map((other) => page.waitForEvent("requestfinished", (request) => request.url().endsWith(other))),
    );
    await page.route(`**${file.path}`, hang);
    await visit(page, "/about-escort-babylon");
    await joinButton(page).click();
    await expect(page.getByRole("dialog", { name: "Sign-up is on its way" })).toBeVisible();
    // Time that is made to pass would cut it off on its way.
    await arriving;
    await page.clock.runFor(20_000);
    await expect(unavailable(page)).toBeVisible();
    await page.keyboard.press("Escape");
    await expectUnavailable(page);
    await page.unroute(`**${file.path}`, hang);
    await tryAgain(page);
    expectComplaintsAbout(complaints, file.path);
  });
}

test("the join dialog throws while it is drawn", async ({ page, beside, complaints }) => {
  const own = await beside();
  await deployAltered(own, SIGNUP, (file, text, { slots }) =>
    slots[0]?.assets.includes(file)
      ? text.replace("describedBy:", "fault:globalThis.faultIsOver||globalThis.fault(),describedBy:")
      : text,
  );
  await visit(page, `${own.url}/about-escort-babylon`);
  await expectUnavailable(page);
  await endFault(page);
  await tryAgain(page);
  expectComplaintsAbout(complaints, "fault is not a function");
});

test("the join dialog fails until another release of it is live", async ({ page, beside, complaints }) => {
  const own = await beside();
  await deployAltered(own, SIGNUP, (file, text, { slots }) =>
    slots[0]?.assets.includes(file) && file.endsWith(".js")
      ? `throw new Error("a fault of this release");${text}`
      : text,
  );
  await visit(page, `${own.url}/about-escort-babylon`);
  await joinButton(page).click();
  await expect(unavailable(page)).toBeVisible();
  await tryInVain(page);
  await deployPackages(own.access, [SIGNUP]);
  const reloading = page.waitForEvent("load");
  await unavailable(page).getByRole("button", { name: "Try again" }).click();
  await reloading;
  await joinButton(page).click();
  await signUp(joinDialog(page));
  await expectScreen(page, "Thank you for signing up");
  expectComplaintsAbout(complaints, "a fault of this release", "ChunkLoadError");
});

test("axe finds nothing on the shell's own dialog", async ({ page, beside, complaints }) => {
  const own = await beside();
  const file = await findFile(own, "signup", "join", "script");
  await remove(file);
  await visit(page, `${own.url}/about-escort-babylon`);
  await joinButton(page).click();
  await expect(unavailable(page)).toBeVisible();
  await expectAccessibleInAllAppearances(page);
  expectComplaintsAbout(complaints, file.path);
});

test("closing it gives the focus back to an opener that was there before the page", async ({ page }) => {
  const startSection = await hold(page, /\/assets\/legal\//);
  await page.goto("/terms", { waitUntil: "commit" });
  await expect(page.getByRole("main")).toHaveText("Loading…");
  const dialog = await openDialog(page);
  startSection();
  await expectScreen(page, "Terms of use");
  await expect(dialog.getByRole("heading")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("contentinfo").getByRole("button", { name: "Join Free" })).toBeFocused();
});
