import { expect, test } from "../support/fixtures";
import { hoverRules } from "../support/hover";
import { open } from "../support/screens";
import { openDialog } from "../support/signup";
import { smallTargets } from "../support/targets";

const SUCCESS = { name: "success", path: "/success", heading: "Your account" };

test("Keyboard focus is visible, and reduced motion disables transitions", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  for (const path of ["/", "/signup"]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    for (let stop = 1; stop <= 10; stop += 1) {
      await page.keyboard.press("Tab");
      await expect(page.locator(":focus"), `${path}, stop ${String(stop)}`).toHaveCSS("outline-style", "solid");
      await expect(page.locator(":focus")).toHaveCSS("outline-width", "3px");
    }
    await expect(page.getByRole("main").getByRole("link").first()).toHaveCSS("transition-duration", "0s");
  }
});

for (const [device, least, hasTouch] of [
  ["a mouse", 24, false],
  ["a finger", 44, true],
] as const) {
  test.describe(`with ${device}`, () => {
    test.use({ hasTouch, isMobile: hasTouch });

    test(`Dialog targets are at least ${String(least)} px in size, with edges`, async ({ page }) => {
      await page.setViewportSize(hasTouch ? { width: 320, height: 640 } : { width: 1280, height: 800 });
      await open(page, SUCCESS);
      const dialog = await openDialog(page);
      expect(await page.evaluate(() => matchMedia("(hover: none)").matches)).toBe(hasTouch);
      // After a tap, browsers apply :hover styles to the tapped element.
      if (hasTouch) expect(await hoverRules(page)).toEqual([]);
      else expect((await hoverRules(page)).length).toBeGreaterThan(5);
      await dialog.getByRole("button", { name: "Continue" }).click();
      await expect(dialog.getByText("Enter your age as a whole number from 18 to 120.")).toBeVisible();
      expect(await smallTargets(page, least)).toEqual([]);

      // Colors carry no meaning here: the dialog and an invalid field have an edge, and the error is text.
      await page.emulateMedia({ forcedColors: "active" });
      await expect(dialog).toHaveCSS("border-top-style", "solid");
      await expect(dialog.getByLabel("Email")).toHaveCSS("border-top", /^3px solid/);
      await expect(dialog.getByText("Enter your email address.")).toBeVisible();
    });
  });
}
