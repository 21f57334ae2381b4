// Documents as they came, what stands there for browsers without script in its place. axe needs script itself, so it
// is the shell that is kept away. Widths and colours are the same styles' as with script, and are looked at there.
import { expectAccessible } from "../support/axe";
import { expectRefused } from "../support/failures";
import { expect, test } from "../support/fixtures";
import { hold, SHELL } from "../support/hydration";
import { expectScreen, MISSING, SCREENS, type Screen } from "../support/screens";
import type { Page } from "@playwright/test";

async function openAsItCame(page: Page, { path, heading }: Screen): Promise<void> {
  await page.goto(path, { waitUntil: "commit" });
  await expectScreen(page, heading);
  await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
  await page.evaluate(() => {
    interface Policies {
      createPolicy(name: string, rules: { readonly createHTML: (html: string) => string }): unknown;
    }
    // The one policy that documents allow is the shell's, which is not there to make it.
    const { trustedTypes } = window as unknown as { readonly trustedTypes: Policies };
    trustedTypes.createPolicy("default", { createHTML: (html) => html });
    for (const noscript of document.querySelectorAll("noscript")) noscript.outerHTML = noscript.textContent;
  });
}

for (const screen of SCREENS) {
  test(`axe finds nothing on ${screen.name}`, async ({ page }) => {
    await hold(page, SHELL);
    await openAsItCame(page, screen);
    await expectAccessible(page);
  });
}

test("axe finds nothing on the screens for what does not exist", async ({ page, complaints }) => {
  await hold(page, SHELL);
  for (const screen of MISSING) {
    await openAsItCame(page, screen);
    await expectAccessible(page);
  }
  await expectRefused(complaints, 404);
});
