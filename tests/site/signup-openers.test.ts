import type { Locator, Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { holdRequests, waitForEventHandlers, markElements, SHELL, waitForHydration } from "../support/hydration";
import { joinDialog, openDialog, SAMPLE_SENTENCE, openPage } from "../support/signup";

interface Opener {
  readonly name: string;
  readonly sample?: boolean;
  readonly locate: (page: Page) => Locator;
  /** Where the focus returns if the opener is gone. */
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

// Pages and the buttons that open the dialog on them. site/every-screen tests the footer's on every page, and the menu is the
// same on every page.
const PAGES: readonly { readonly path: string; readonly openers: readonly Opener[] }[] = [
  { path: "/", openers: [{ name: "the call to action", locate: inMain("Join Free") }, FOOTER, MENU] },
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
    ],
  },
  { path: "/about-escort-babylon", openers: [{ name: "Join Now", locate: inMain("Join Now") }] },
];

async function expectOpens(page: Page, path: string, opener: Opener): Promise<void> {
  const dialog = joinDialog(page);
  await expect(dialog).toBeHidden();
  if (opener === MENU) {
    // Wide screens have the button in the header.
    await page.setViewportSize({ width: 700, height: 800 });
    await toggle(page).click();
  }
  await opener.locate(page).click();
  await expect(dialog).toBeVisible();
  await expect(dialog.getByText(SAMPLE_SENTENCE)).toHaveCount(opener.sample ? 1 : 0);
  if (opener.sample) await expect(dialog.getByRole("paragraph").first()).toHaveText(SAMPLE_SENTENCE);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect((opener.returnsTo ?? opener.locate)(page)).toBeFocused();
  expect(new URL(page.url()).pathname).toBe(path);
}

test("Every opener opens the dialog, which returns the focus", async ({ page }) => {
  for (const { path, openers } of PAGES) {
    await openPage(page, path);
    await runChecks(openers.map((opener) => [`${path}: ${opener.name}`, () => expectOpens(page, path, opener)]));
  }
});

test("Enter and Space on a button open the dialog", async ({ page }) => {
  await openPage(page, "/about-escort-babylon");
  for (const key of ["Enter", "Space"]) {
    await page.getByRole("button", { name: "Join Now" }).focus();
    await page.keyboard.press(key);
    await expect(joinDialog(page)).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(joinDialog(page)).toBeHidden();
  }
});

test.describe("The sample notice", () => {
  test("comes first in the dialog and is its accessible description", async ({ page }) => {
    await openPage(page, "/city/Alabama/Birmingham");
    await page.getByRole("button", { name: "Next Page →" }).click();
    const dialog = joinDialog(page);
    await expect(dialog).toHaveAccessibleDescription(SAMPLE_SENTENCE);
    const texts = await dialog.locator("h2, p").allTextContents();
    expect(texts.slice(0, 2)).toEqual(["Create your account", SAMPLE_SENTENCE]);
  });

  test("appears only when a sample opens the dialog", async ({ page }) => {
    await openPage(page, "/city/Alabama/Birmingham/ad/4251");
    const dialog = joinDialog(page);
    for (const [name, sentences] of [
      ["Reply", 1],
      ["Join Free", 0],
      ["Pics 📸", 1],
    ] as const) {
      await page.getByRole("button", { name, exact: true }).last().click();
      await expect(dialog).toBeVisible();
      await expect(dialog.getByText(SAMPLE_SENTENCE)).toHaveCount(sentences);
      await dialog.getByRole("button", { name: "Close" }).click();
    }
  });

  test("comes first on the sign-up page, and not in its dialog", async ({ page }) => {
    await openPage(page, "/signup");
    const texts = await page.getByRole("main").locator("h1, p").allInnerTexts();
    expect(texts.slice(0, 2)).toEqual(["Create your account", `Coming from an ad? ${SAMPLE_SENTENCE}`]);
    const dialog = await openDialog(page);
    await expect(dialog.getByText(SAMPLE_SENTENCE)).toHaveCount(0);
  });
});

test("Closing the dialog focuses an opener clicked early", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  const startSection = await holdRequests(page, /\/assets\/legal\/.*\.js$/);
  await page.goto("/terms", { waitUntil: "commit" });
  await expect(page.getByRole("contentinfo")).toBeVisible();
  await markElements(page);
  startShell();
  await waitForEventHandlers(page);
  const dialog = await openDialog(page);
  startSection();
  await waitForHydration(page);
  await expect(dialog.getByRole("heading")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(FOOTER.locate(page)).toBeFocused();
});
