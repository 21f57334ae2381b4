// The shell's dialog in place of one that does not load. Component tests have the other reasons.
import { expect, type Locator, type Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { expectErrorsAbout } from "../support/browser-errors";
import { findFile, PARTS, remove } from "../support/damage";
import { test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import { joinDialog, signUp, openPage } from "../support/signup";

const joinButton = (page: Page): Locator => page.getByRole("button", { name: "Join Now" });

// View transitions between the sections take a quarter of the CPU time, and damaged-files.test.ts runs them.
test.use({ reducedMotion: "reduce" });

async function openUnavailable(page: Page): Promise<Locator> {
  await joinButton(page).click();
  const dialog = page.getByRole("dialog", { name: "This is unavailable right now" });
  await expect(dialog).toContainText("The rest of the site works as usual.");
  return dialog;
}

for (const part of process.env.SOAK ? PARTS : (["script"] as const))
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
    const dialog = await openUnavailable(page);
    await dialog.getByRole("button", { name: "Try again" }).click();
    await expect(joinDialog(page)).toBeVisible();
    await expect(dialog).toHaveCount(0);
    await signUp(joinDialog(page));
    await expectScreen(page, "You’re signed up");
    expectErrorsAbout(browserErrors, file.path);
  });
