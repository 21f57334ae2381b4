// The buttons of the sign-up: always in view, and no accidental click follows the affiliate link.
import { chromium, type Locator, type Page } from "@playwright/test";

import { launchOptions } from "../support/chromium.mjs";
import { expect, test } from "../support/fixtures";
import { boxOf } from "../support/layout";
import {
  expectFailedSignups,
  fillForm,
  newEmail,
  openDialog,
  openPage,
  SAMPLE_SENTENCE,
  signUp,
} from "../support/signup";

const SIZES = [
  { width: 320, height: 640 },
  { width: 1280, height: 800 },
] as const;

async function centerOf(button: Locator): Promise<[x: number, y: number]> {
  const box = await button.boundingBox();
  if (!box) throw new Error("the button is not visible");
  return [box.x + box.width / 2, box.y + box.height / 2];
}

/** Whether the element is the topmost one in its center and at its corners, so that nothing covers or clips it. */
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

for (const viewport of SIZES) {
  test.describe(`At ${String(viewport.width)} by ${String(viewport.height)} pixels`, () => {
    test.use({ viewport });

    test("the dialog's buttons are in view in every state", async ({ page, site, browserErrors }) => {
      await openPage(page, "/city/Texas/Houston/ad/4251");
      await page.getByRole("button", { name: "Reply", exact: true }).click();
      const dialog = page.getByRole("dialog");
      const expectInView = async (...names: readonly string[]): Promise<void> => {
        for (const name of ["Close", ...names]) {
          // The last state has a second button to close it.
          const buttons = dialog.getByRole("button", { name });
          await expectUncovered(buttons.first());
          await expectUncovered(buttons.last());
        }
      };
      const expectFormInView = async (): Promise<void> => {
        await expectInView("Continue", "Cancel");
        // In view without scrolling.
        await expectUncovered(dialog.getByLabel("Age"));
        // Also while the fields are scrolled, and the focused field is never covered.
        for (const label of ["Age", "Email"]) {
          await dialog.getByLabel(label).focus();
          await expectUncovered(dialog.getByLabel(label));
          await expectInView("Continue", "Cancel");
        }
      };
      await expectFormInView();
      await dialog.getByRole("button", { name: "Continue" }).click();
      await expectFormInView();
      await signUp(dialog, { email: newEmail("reject") });
      await expect(dialog.getByText("already registered")).toBeVisible();
      await expectFormInView();
      await signUp(dialog, { email: newEmail("wordless") });
      await expect(dialog.getByRole("alert")).toBeVisible();
      await expectFormInView();
      await expectFailedSignups(browserErrors, 2);
      await page.route("https://members.example.com/**", (route) => route.abort());
      await signUp(dialog, { email: newEmail("slow") });
      await expectInView("Creating Account...", "Cancel");
      await expect.poll(() => site.backend.requests().length).toBeGreaterThan(0);
      await dialog.getByRole("button", { name: "Cancel" }).click();

      await openDialog(page);
      await signUp(dialog, { email: newEmail("html") });
      await expectInView("Stop");
      await expectUncovered(dialog.getByRole("link", { name: /^Go now/ }));
      await expectUncovered(dialog.getByRole("timer"));
      const scroll = await dialog.evaluate(({ firstElementChild: contents }) =>
        contents ? contents.scrollHeight - contents.clientHeight : -1,
      );
      expect(scroll, "nothing to scroll").toBe(0);
      await dialog.getByRole("button", { name: "Stop" }).click();
      await expectInView("Back to the form");
      await expectUncovered(dialog.getByRole("link", { name: /^Go now/ }));
      await dialog.getByRole("button", { name: "Back to the form" }).click();
      await expectFailedSignups(browserErrors, 1);

      await signUp(dialog, { age: "17" });
      await expect(dialog.getByRole("heading")).toHaveText("Sign-up ends here");
      await expect(dialog.getByRole("button", { name: "Close" })).toHaveCount(2);
      await expectInView();
    });

    test("the partner is disclosed once beside the dialog's button", async ({ page, site, browserErrors }) => {
      await openPage(page, "/city/Texas/Houston/ad/4251");
      await page.getByRole("button", { name: "Reply", exact: true }).click();
      const dialog = page.getByRole("dialog");
      const summary = dialog.getByText("with an affiliate tag.");
      const list = dialog.getByText("Nothing you typed goes there.");
      const host = new URL(site.backend.url).hostname;
      if (viewport.width < 1280) {
        const text = `Goes to ${host} with an affiliate tag. If sign-up is down, an affiliate link takes you to Example Partner after a countdown you can stop. Details below.`;
        await expect(summary).toHaveText(text);
        await expectUncovered(summary);
        // Every field is in view, too, also below a heading of two lines.
        await dialog.getByRole("heading").evaluate((heading) => {
          heading.append(" on this site");
        });
        await expectUncovered(dialog.getByLabel("Age"));
        // The list takes its place.
        await dialog.getByRole("link", { name: "Privacy" }).scrollIntoViewIfNeeded();
        await dialog.evaluate((element) => element.firstElementChild?.scrollTo(0, element.scrollHeight * 2));
        await expect(summary).toBeHidden();
        // The row, because its texts are inline.
        await expectUncovered(list.locator(".."));
        return;
      }
      const expectList = async (): Promise<void> => {
        await expect(summary).toBeHidden();
        await expectUncovered(dialog.getByRole("term").first());
        await expectUncovered(list);
        for (const name of ["Terms", "Privacy"]) await expectUncovered(dialog.getByRole("link", { name }));
      };
      await expectList();
      expect(await dialog.evaluate((element) => element.firstElementChild?.scrollTop)).toBe(0);
      // Also with an error above the fields.
      await signUp(dialog, { email: newEmail("wordless") });
      await expect(dialog.getByRole("alert")).toBeVisible();
      await expectList();
      await expectUncovered(dialog.getByLabel("Age"));
      await expectFailedSignups(browserErrors, 1);
    });

    for (const path of ["/city/Texas/Houston/ad/4251", "/signup"]) {
      test(`the partner offer replaces all of the form: ${path}`, async ({ page, browserErrors }) => {
        await openPage(page, path);
        if (path !== "/signup") await page.getByRole("button", { name: "Reply", exact: true }).click();
        const place = page.getByRole(path === "/signup" ? "main" : "dialog");
        const heading = place.getByRole("heading");
        const notice = place.getByText(SAMPLE_SENTENCE);
        await expect(notice).toBeVisible();
        await signUp(place, { email: newEmail("html") });
        await expect(place.getByRole("timer")).toBeVisible();
        await expect(heading).toHaveText("Sign-up isn’t available");
        await expect(notice).toBeHidden();
        // Below the heading, wherever the form was scrolled to.
        const offer = place.getByText("so we couldn’t confirm your account");
        if (path === "/signup") await heading.scrollIntoViewIfNeeded();
        const [above, below] = [await boxOf(heading), await boxOf(offer)];
        const room = below.y - above.y - above.height;
        expect(room).toBeGreaterThan(0);
        if (path === "/signup" && viewport.width < 1280) expect(room).toBeLessThan(90);
        else {
          const link = await boxOf(place.getByRole("link", { name: /^Go now/ }));
          const stop = await boxOf(place.getByRole("button", { name: "Stop" }));
          expect(stop.y - link.y - link.height).toBeLessThan(160);
        }
        await place.getByRole("button", { name: "Stop" }).click();
        await place.getByRole("button", { name: "Back to the form" }).click();
        await expect(heading).toHaveText("Create your account");
        await expect(notice).toBeVisible();
        await expectFailedSignups(browserErrors, 1);
      });
    }

    for (const where of ["dialog", "page"]) {
      test(`a double tap on 'Continue' stops the countdown: ${where}`, async ({ page, browserErrors }) => {
        await openPage(page, where === "page" ? "/signup" : "/terms");
        const path = new URL(page.url()).pathname;
        const form = where === "page" ? page.getByRole("main") : await openDialog(page);
        // The longest form, so that its fields are scrolled.
        await form.getByRole("button", { name: "Continue" }).click();
        await signUp(form, { email: newEmail("html") });
        const stop = form.getByRole("button", { name: "Stop" });
        await expect(stop).toBeVisible();
        await stop.click();
        await form.getByRole("button", { name: "Back to the form" }).click();

        const go = form.getByRole("button", { name: "Continue" });
        await go.scrollIntoViewIfNeeded();
        const tapped = await centerOf(go);
        await page.mouse.click(...tapped);
        await expect(stop).toBeVisible();
        const box = await stop.boundingBox();
        expect(box && tapped[0] > box.x && tapped[0] < box.x + box.width, "Stop is there horizontally").toBe(true);
        expect(Math.abs((await centerOf(stop))[1] - tapped[1]), "Stop is there vertically").toBeLessThan(2);
        await page.mouse.click(...tapped);
        await expect(form.getByText("Stopped. You’re staying on this page.")).toBeVisible();
        expect(new URL(page.url()).pathname).toBe(path);
        await expectFailedSignups(browserErrors, 2);
      });
    }
  });
}

test("'Continue' stays in its place after an error", async ({ page, browserErrors }) => {
  await openPage(page, "/terms");
  const dialog = await openDialog(page);
  await signUp(dialog, { email: newEmail("reject") });
  await expect(dialog.getByText("already registered")).toBeVisible();
  await expectFailedSignups(browserErrors, 1);
  await fillForm(dialog, { email: newEmail("slow") });
  const place = await boxOf(dialog.getByRole("button", { name: "Continue" }));
  await dialog.getByRole("button", { name: "Continue" }).click();
  expect(await boxOf(dialog.getByRole("button", { name: "Creating Account..." }))).toEqual(place);
});

test("a double-click on 'Continue' keeps the dialog open", async ({ page }) => {
  await openPage(page, "/terms");
  const dialog = await openDialog(page);
  await fillForm(dialog, { age: "17" });
  // The dialog is centered. The notice that replaces the form is lower and ends above this point.
  const { x, y, width, height } = await boxOf(dialog.getByRole("button", { name: "Continue" }));
  const [left, top] = [x + width / 2, y + height - 2];
  await page.mouse.click(left, top);
  const notice = page.getByRole("dialog", { name: "Sign-up ends here" });
  const below = await boxOf(notice);
  expect(below.y + below.height, "the second click is outside").toBeLessThan(top);
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await expect(notice).toBeVisible();
  await page.mouse.click(left, top);
  await expect(notice).toBeHidden();
});

test("'Go now' ignores clicks and keys for its first second", async ({ page, site, browserErrors }) => {
  await page.clock.install();
  await openPage(page, "/terms");
  const dialog = await openDialog(page);
  await page.clock.pauseAt(Date.now() + 3_600_000);
  await signUp(dialog, { email: newEmail("html") });
  const go = dialog.getByRole("link", { name: /^Go now/ });
  await expect(dialog.getByRole("timer")).toBeVisible();
  await page.clock.runFor(900);
  await expect(go).toHaveAttribute("aria-disabled", "true");
  await page.mouse.click(...(await centerOf(go)));
  await go.press("Enter");
  await expect(dialog.getByRole("timer")).toBeVisible();
  expect(new URL(page.url()).pathname).toBe("/terms");
  await page.clock.runFor(100);
  await expect(go).toHaveAttribute("aria-disabled", "false");
  await page.mouse.click(...(await centerOf(go)));
  await page.waitForURL(`${site.backend.url}/partner?subid=colonnade`);
  await expectFailedSignups(browserErrors, 1);
});

/** Returns the color of a pixel, as the browser paints it. */
async function pixel(page: Page, x: number, y: number): Promise<readonly number[]> {
  const image = await page.screenshot({ clip: { x, y, width: 1, height: 1 } });
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes]));
    const context = new OffscreenCanvas(1, 1).getContext("2d");
    context?.drawImage(bitmap, 0, 0);
    return [...(context?.getImageData(0, 0, 1, 1).data ?? [])];
  }, image.toString("base64"));
}

test("the dialog is centered in a narrow window with a scrollbar", async ({ site }) => {
  const browser = await chromium.launch({ ...launchOptions(), ignoreDefaultArgs: ["--hide-scrollbars"] });
  const page = await browser.newPage({ viewport: { width: 320, height: 640 } });
  await openPage(page, `${site.url}/terms`);
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  const { x, width } = await boxOf(page.getByRole("dialog"));
  expect(320 - x - width).toBe(x);
  await browser.close();
});

for (const colorScheme of ["light", "dark"] as const) {
  test(`the open dialog dims the whole window, also the scrollbar's gutter: ${colorScheme}`, async ({ site }) => {
    // Scrollbars that take space, which tests otherwise hide.
    const browser = await chromium.launch({ ...launchOptions(), ignoreDefaultArgs: ["--hide-scrollbars"] });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme });
    await openPage(page, `${site.url}/terms`);
    const bodyWidth = (): Promise<number> => page.evaluate(() => document.body.getBoundingClientRect().width);
    const width = await bodyWidth();
    expect(width, "the scrollbar takes space").toBeLessThan(1280);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    expect(await bodyWidth(), "no layout shift").toBe(width);
    // Beside the footer, the page shows its background.
    const [inside, gutter] = [await pixel(page, width - 4, 100), await pixel(page, 1280 - 4, 100)];
    for (const [index, channel] of gutter.entries())
      expect(Math.abs(channel - (inside[index] ?? 0)), `${String(inside)} and ${String(gutter)}`).toBeLessThanOrEqual(
        3,
      );
    await browser.close();
  });
}
