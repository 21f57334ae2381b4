import type { Locator, Page } from "@playwright/test";

import { test, expect } from "../support/fixtures";
import { hold, listening, markElements, SHELL, takenOver } from "../support/hydration";
import { joinDialog, openDialog, SAMPLE_SENTENCE, visit } from "../support/signup";

interface Opener {
  readonly name: string;
  readonly sample?: boolean;
  readonly locate: (page: Page) => Locator;
  /** Where the focus returns to, if the opener itself is gone by then. */
  readonly returnsTo?: (page: Page) => Locator;
}

const toggle = (page: Page): Locator => page.getByRole("banner").locator("summary");

const inMain = (name: string, nth = 0): ((page: Page) => Locator) => {
  return (page) => page.getByRole("main").getByRole("button", { name, exact: true }).nth(nth);
};
const FOOTER: Opener = {
  name: "the footer's Join Free",
  locate: (page) => page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }),
};
const MENU: Opener = {
  name: "the menu's Join Free",
  locate: (page) => page.getByRole("banner").getByRole("button", { name: "Join Free" }),
  returnsTo: toggle,
};

// Each page with what opens the dialog on it.
const PAGES: readonly { readonly path: string; readonly openers: readonly Opener[] }[] = [
  { path: "/", openers: [{ name: "the call to action", locate: inMain("Join Free") }, FOOTER, MENU] },
  { path: "/state/Texas", openers: [FOOTER, MENU] },
  {
    path: "/city/Alabama/Birmingham",
    openers: [
      { name: "a featured sample's Reply", sample: true, locate: inMain("Reply to Ad 💬") },
      { name: "a regular sample's Reply", sample: true, locate: inMain("Reply to Ad 💬", 7) },
      { name: "Next Page", sample: true, locate: inMain("Next Page →") },
      FOOTER,
      MENU,
    ],
  },
  {
    path: "/city/Alabama/Birmingham/ad/4251",
    openers: [
      { name: "a sample's Pics", sample: true, locate: inMain("Pics 📸") },
      { name: "a sample's Reply", sample: true, locate: inMain("Reply") },
      FOOTER,
      MENU,
    ],
  },
  { path: "/about-escort-babylon", openers: [{ name: "Join Now", locate: inMain("Join Now") }, FOOTER, MENU] },
  { path: "/about-escort-babylon/safety-guide", openers: [FOOTER, MENU] },
  { path: "/terms", openers: [FOOTER, MENU] },
  { path: "/privacy", openers: [FOOTER, MENU] },
  { path: "/success", openers: [FOOTER, MENU] },
  { path: "/state/Oklahoma", openers: [FOOTER] },
];

test.describe("the sign-up dialog is opened", () => {
  for (const { path, openers } of PAGES) {
    test(`on ${path} by ${openers.map(({ name }) => name).join(", ")}`, async ({ page }) => {
      await visit(page, path);
      const dialog = joinDialog(page);
      for (const opener of openers) {
        await test.step(opener.name, async () => {
          await expect(dialog).toBeHidden();
          if (opener === MENU) await toggle(page).click();
          await opener.locate(page).click();
          await expect(dialog).toBeVisible();
          await expect(dialog.getByText(SAMPLE_SENTENCE)).toHaveCount(opener.sample ? 1 : 0);
          await page.keyboard.press("Escape");
          await expect(dialog).toBeHidden();
          await expect((opener.returnsTo ?? opener.locate)(page)).toBeFocused();
          expect(new URL(page.url()).pathname).toBe(path);
        });
      }
    });
  }

  for (const key of ["Enter", "Space"]) {
    test(`by ${key} on a button`, async ({ page }) => {
      await visit(page, "/about-escort-babylon");
      await page.getByRole("button", { name: "Join Now" }).focus();
      await page.keyboard.press(key);
      await expect(joinDialog(page)).toBeVisible();
    });
  }
});

test.describe("'These ads are samples…'", () => {
  test("comes first in the dialog, and describes it for assistive technology", async ({ page }) => {
    await visit(page, "/city/Alabama/Birmingham");
    await page.getByRole("button", { name: "Next Page →" }).click();
    const dialog = joinDialog(page);
    await expect(dialog).toHaveAccessibleDescription(SAMPLE_SENTENCE);
    const texts = await dialog.locator("h2, p").allTextContents();
    expect(texts.slice(0, 2)).toEqual(["Create your account", SAMPLE_SENTENCE]);
  });

  test("is gone once another button opens the dialog, and back at the next sample", async ({ page }) => {
    await visit(page, "/city/Alabama/Birmingham/ad/4251");
    const dialog = joinDialog(page);
    for (const [name, sentences] of [
      ["Reply", 1],
      ["Join Free", 0],
      ["Pics 📸", 1],
    ] as const) {
      await page.getByRole("button", { name, exact: true }).click();
      await expect(dialog).toBeVisible();
      await expect(dialog.getByText(SAMPLE_SENTENCE)).toHaveCount(sentences);
      await dialog.getByRole("button", { name: "Close" }).click();
    }
  });

  test("stands first on the sign-up page, to which buttons lead where there is no dialog, and in no dialog there", async ({
    page,
  }) => {
    await visit(page, "/signup");
    const texts = await page.getByRole("main").locator("h1, p").allInnerTexts();
    expect(texts.slice(0, 2)).toEqual(["Create your account", `Coming from an ad? ${SAMPLE_SENTENCE}`]);
    const dialog = await openDialog(page);
    await expect(dialog.getByText(SAMPLE_SENTENCE)).toHaveCount(0);
  });
});

test("closing it gives the focus back to an opener that was there before the page's code", async ({ page }) => {
  const startShell = await hold(page, SHELL);
  const startSection = await hold(page, /\/assets\/legal\/.*\.js$/);
  await page.goto("/terms", { waitUntil: "commit" });
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await markElements(page);
  startShell();
  await listening(page);
  const dialog = await openDialog(page);
  startSection();
  await takenOver(page);
  await expect(dialog.getByRole("heading")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(FOOTER.locate(page)).toBeFocused();
});
