// Documents as browsers without JavaScript show them. axe itself needs JavaScript, so only the shell is held back.
import { expectAccessible } from "../support/axe";
import { expect, test } from "../support/fixtures";
import { holdRequests, SHELL } from "../support/hydration";
import { expectScreen, SCREENS } from "../support/screens";

const WITH_NOSCRIPT = SCREENS.filter(({ path }) =>
  ["/city/Texas/Houston", "/signup", "/privacy/receipt"].includes(path),
);

test("axe finds no violations in noscript content", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  for (const { path } of SCREENS) {
    const html = await (await page.request.get(path)).text();
    expect(html.includes("<noscript>"), path).toBe(WITH_NOSCRIPT.some((screen) => screen.path === path));
  }
  for (const { path, heading } of WITH_NOSCRIPT) {
    await page.goto(path, { waitUntil: "commit" });
    await expectScreen(page, heading);
    await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
    await page.evaluate(() => {
      interface Policies {
        createPolicy(name: string, rules: { readonly createHTML: (html: string) => string }): unknown;
      }
      // The CSP allows one policy, which the held shell has not created.
      const { trustedTypes } = window as unknown as { readonly trustedTypes: Policies };
      trustedTypes.createPolicy("default", { createHTML: (html) => html });
      for (const noscript of document.querySelectorAll("noscript")) noscript.outerHTML = noscript.textContent;
    });
    await test.step(path, () => expectAccessible(page));
  }
  startShell();
});
