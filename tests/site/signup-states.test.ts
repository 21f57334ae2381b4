// Every state of the sign-up: accessible, its buttons in view, and no accidental click follows the affiliate link.
import type { Locator, Page } from "@playwright/test";

import { expectAccessible } from "../support/axe";
import { expect, test } from "../support/fixtures";
import { boxOf, expectNoHorizontalScroll } from "../support/layout";
import { expectScreen } from "../support/screens";
import {
  expectFailedSignups,
  fillForm,
  newEmail,
  openDialog,
  openPage,
  SAMPLE_SENTENCE,
  signUp,
} from "../support/signup";

/** How long the dialog names another host before it redirects. */
const REDIRECT_DELAY_MS = 2_000;

/** Whether the element is the topmost one in its center and at its sides, so that nothing covers or clips it. */
async function expectUncovered(element: Locator): Promise<void> {
  await expect
    .poll(() =>
      element.evaluate((target) => {
        const { x, y, width, height } = target.getBoundingClientRect();
        return [0.1, 0.5, 0.9].every((part) => {
          const top = document.elementFromPoint(x + width * part, y + height / 2);
          return target.contains(top) && y >= 0 && y + height <= innerHeight;
        });
      }),
    )
    .toBe(true);
}

/** Checks the open dialog, otherwise the page: the rest of the page is inert, and other tests check it. */
async function expectAccessibleInBothSchemes(page: Page): Promise<void> {
  const dialog = "dialog[open]";
  const scope = (await page.locator(dialog).count()) > 0 ? { selector: dialog } : {};
  // Colors do not depend on the width.
  const schemes = page.viewportSize()?.width === 320 ? (["light"] as const) : (["dark", "light"] as const);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, { ...scope, colorsOnly: colorScheme === "dark" });
  }
  await expectNoHorizontalScroll(page);
}

/** Taps twice where 'Continue' is: the second tap stops the countdown, because 'Stop' is in the same place. */
async function doubleTapToUnreachable(page: Page, form: Locator, check: () => Promise<void>): Promise<void> {
  const path = new URL(page.url()).pathname;
  await fillForm(form, { email: newEmail("html") });
  const go = form.getByRole("button", { name: "Continue" });
  await go.scrollIntoViewIfNeeded();
  const { x, y, width, height } = await boxOf(go);
  const tapped = [x + width / 2, y + height / 2] as const;
  await page.mouse.click(...tapped);
  await expect(form.getByRole("timer")).toBeVisible();
  const stop = await boxOf(form.getByRole("button", { name: "Stop" }));
  expect(tapped[0] > stop.x && tapped[0] < stop.x + stop.width, "Stop is there horizontally").toBe(true);
  expect(Math.abs(stop.y + stop.height / 2 - tapped[1]), "Stop is there vertically").toBeLessThan(2);
  await expect(form.getByText(SAMPLE_SENTENCE)).toBeHidden();
  await check();
  await page.mouse.click(...tapped);
  await expect(form.getByText("Stopped. You’re staying on this page.")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe(path);
}

/** Double-clicks 'Continue'. The notice that replaces the form is centered, so it ends above this point. */
async function expectDoubleClickKeepsNotice(page: Page, dialog: Locator): Promise<void> {
  await fillForm(dialog, { age: "17" });
  const { x, y, width, height } = await boxOf(dialog.getByRole("button", { name: "Continue" }));
  const [left, top] = [x + width / 2, y + height - 2];
  await page.mouse.click(left, top);
  await expect(dialog.getByRole("heading")).toHaveText("Sign-up ends here");
  const notice = await boxOf(dialog);
  expect(notice.y + notice.height, "the second click is outside").toBeLessThan(top);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await expect(dialog).toBeVisible();
}

for (const viewport of [
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
]) {
  const wide = viewport.width === 1280;

  test.describe(`At ${String(viewport.width)} by ${String(viewport.height)} pixels`, () => {
    test.use({ viewport });

    // Stops the countdown and the redirect without stopping axe's timers.
    test.beforeEach(({ page }) =>
      page.addInitScript((leaving) => {
        const start = setTimeout;
        Object.assign(window, {
          setInterval: () => 0,
          setTimeout: (run: () => void, ms?: number, ...rest: []) => (ms === leaving ? 0 : start(run, ms, ...rest)),
        });
      }, REDIRECT_DELAY_MS),
    );

    test("every state of the dialog passes all checks", async ({ page, site, browserErrors }) => {
      await openPage(page, "/city/Texas/Houston/ad/4251");
      await page.getByRole("button", { name: "Reply", exact: true }).click();
      const dialog = page.getByRole("dialog");
      const age = dialog.getByLabel("Age");
      const summary = dialog.getByText("with an affiliate tag.");
      const go = (name: string): Locator => dialog.getByRole("button", { name });
      const expectInView = async (...names: string[]): Promise<void> => {
        for (const name of ["Close", ...names]) await expectUncovered(go(name).last());
      };
      const checkForm = async (): Promise<void> => {
        await expectInView("Continue", "Cancel");
        // In view without scrolling.
        await expectUncovered(age);
        // Also while the fields are scrolled, and the focused field is never covered.
        for (const field of [age, dialog.getByLabel("Email")]) {
          await field.focus();
          await expectUncovered(field);
          await expectInView("Continue", "Cancel");
        }
        await expectAccessibleInBothSchemes(page);
      };
      const expectList = async (): Promise<void> => {
        await expect(summary).toBeHidden();
        await expectUncovered(dialog.getByRole("term").first());
        // The row, because its texts are inline.
        await expectUncovered(dialog.getByText("Nothing you typed goes there.").locator(".."));
        for (const name of ["Terms", "Privacy"]) await expectUncovered(dialog.getByRole("link", { name }));
      };

      await test.step("opened from a sample, with one disclosure beside the button", async () => {
        if (wide) {
          await expectList();
          expect(await dialog.evaluate((element) => element.firstElementChild?.scrollTop)).toBe(0);
          await checkForm();
          return;
        }
        await expect(summary).toHaveText(
          "Goes to 127.0.0.1 with an affiliate tag. If sign-up is down, an affiliate link takes you to " +
            "Example Partner after a countdown you can stop. Details below.",
        );
        await expectUncovered(summary);
        await checkForm();
        // The list takes its place.
        await dialog.getByRole("link", { name: "Privacy" }).scrollIntoViewIfNeeded();
        await dialog.evaluate((element) => element.firstElementChild?.scrollTo(0, element.scrollHeight * 2));
        await expectList();
        await dialog.getByLabel("Email").focus();
      });
      await test.step("with mistakes", async () => {
        await go("Continue").click();
        await expect(dialog.locator("[aria-invalid]")).toHaveCount(3);
        await checkForm();
      });
      await test.step("rejected at a field, and sending again", async () => {
        await signUp(dialog, { email: newEmail("reject") });
        await expect(dialog.getByText("already registered")).toBeVisible();
        await checkForm();
        await fillForm(dialog, { email: newEmail("slow") });
        const place = await boxOf(go("Continue"));
        await go("Continue").click();
        const { x, y, width } = await boxOf(go("Creating Account..."));
        expect([x, width], "the button stays in its place").toEqual([place.x, place.width]);
        expect(y).toBeCloseTo(place.y, 0);
        await expectInView("Creating Account...", "Cancel");
        await expectAccessibleInBothSchemes(page);
        await expect.poll(() => site.backend.release()).toBe(1);
        await expectScreen(page, "You’re signed up");
      });
      await test.step("rejected above the fields", async () => {
        await openDialog(page);
        await signUp(dialog, { email: newEmail("wordless") });
        await expect(dialog.getByRole("alert")).toBeVisible();
        if (wide) await expectList();
        await checkForm();
        await expectFailedSignups(browserErrors, 2);
      });
      await test.step("unreachable: a double tap stops the countdown", async () => {
        await doubleTapToUnreachable(page, dialog, async () => {
          await expectInView("Stop");
          const link = dialog.getByRole("link", { name: /^Go now/ });
          await expectUncovered(link);
          await expectUncovered(dialog.getByRole("timer"));
          const [above, below] = [await boxOf(link), await boxOf(go("Stop"))];
          expect(below.y - above.y - above.height).toBeLessThan(160);
          const scroll = await dialog.evaluate(({ firstElementChild: contents }) =>
            contents ? contents.scrollHeight - contents.clientHeight : -1,
          );
          expect(scroll, "nothing to scroll").toBe(0);
          await expectAccessibleInBothSchemes(page);
        });
        await expectInView("Back to the form");
        await expectUncovered(dialog.getByRole("link", { name: /^Go now/ }));
        await expectAccessibleInBothSchemes(page);
        await go("Back to the form").click();
        await expectFailedSignups(browserErrors, 1);
      });
      await test.step("redirecting to another host", async () => {
        await signUp(dialog, { email: newEmail("away") });
        await expect(dialog.getByText("members.example.com.")).toBeVisible();
        await expectInView();
        await expectAccessibleInBothSchemes(page);
        await go("Close").click();
      });
      await test.step("ended", async () => {
        await openDialog(page);
        if (wide) await expectDoubleClickKeepsNotice(page, dialog);
        else await signUp(dialog, { age: "17" });
        await expect(go("Close")).toHaveCount(2);
        await expectInView();
        await expectUncovered(go("Close").first());
        await expectAccessibleInBothSchemes(page);
      });
    });

    test("every state of the page passes all checks", async ({ page, browserErrors }) => {
      await openPage(page, "/signup");
      const form = page.getByRole("main");
      if (wide) {
        const [heading, disclosure] = [await boxOf(form.getByRole("heading")), await boxOf(form.locator("dl"))];
        expect(disclosure.x + disclosure.width).toBe(heading.x + heading.width);
      }
      await test.step("with mistakes", async () => {
        // Until then, the browser validates.
        await expect(form.locator("form[method=post]")).toHaveAttribute("novalidate");
        await form.getByRole("button", { name: "Continue" }).click();
        await expect(form.locator("[aria-invalid]")).toHaveCount(3);
        await expectAccessibleInBothSchemes(page);
      });
      await test.step("unreachable: a double tap stops the countdown", async () => {
        await doubleTapToUnreachable(page, form, async () => {
          await expectAccessibleInBothSchemes(page);
          // Below the heading, wherever the form was scrolled to.
          const top = await page.evaluate(() => scrollY);
          const heading = form.getByRole("heading");
          await heading.scrollIntoViewIfNeeded();
          const [above, below] = [await boxOf(heading), await boxOf(form.getByText("We don’t know whether"))];
          const room = below.y - above.y - above.height;
          expect(room).toBeGreaterThan(0);
          if (!wide) expect(room).toBeLessThan(90);
          await page.evaluate((y) => {
            scrollTo(0, y);
          }, top);
        });
        await form.getByRole("button", { name: "Back to the form" }).click();
        await expectFailedSignups(browserErrors, 1);
      });
      await test.step("ended, also in the dialog", async () => {
        await signUp(form, { age: "17" });
        await expect(form.getByRole("heading")).toHaveText("Sign-up ends here");
        await expectAccessibleInBothSchemes(page);
        await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
        await expect(page.getByRole("dialog", { name: "Sign-up ends here" })).toBeVisible();
        await expectAccessibleInBothSchemes(page);
        await page.reload();
        await expect(form.getByRole("heading")).toHaveText("Sign-up ends here");
        await expect(form.getByRole("textbox")).toHaveCount(0);
      });
    });
  });
}
