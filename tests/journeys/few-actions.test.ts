// The number of actions that a first-time visitor's tasks take.
import type { Locator, Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectScreen, open, SCREENS } from "../support/screens";
import { expectFailedSignups, fillForm, newEmail, openDialog } from "../support/signup";

const HOME = SCREENS.find(({ path }) => path === "/") ?? { name: "home", path: "/", heading: "" };

/** A visitor whose clicks, typed texts and keys are counted. */
class Visitor {
  actions = 0;

  constructor(private readonly page: Page) {}

  async click(target: Locator): Promise<void> {
    this.actions += 1;
    await target.click();
  }

  /** Types into the focused field, whose text is replaced. */
  async type(text: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.type(text);
  }

  async press(key: string): Promise<void> {
    this.actions += 1;
    await this.page.keyboard.press(key);
  }
}

test("Home to Los Angeles takes three actions", async ({ page }) => {
  const visitor = new Visitor(page);
  await open(page, HOME);
  await visitor.click(page.getByRole("combobox", { name: "Find a city or state" }));
  await visitor.type("los angeles");
  await visitor.press("Enter");
  await expectScreen(page, "Los Angeles, California");
  expect(visitor.actions).toBeLessThanOrEqual(3);
});

test("A city to a nearby city takes one action", async ({ page }) => {
  const visitor = new Visitor(page);
  await page.goto("/city/Texas/Houston");
  await visitor.click(page.getByRole("region", { name: "Nearby cities" }).getByRole("link", { name: /^Bellaire/ }));
  await expectScreen(page, "Bellaire, Texas");
  expect(visitor.actions).toBe(1);
});

test("Home to the safety guide takes one action", async ({ page }) => {
  const visitor = new Visitor(page);
  await open(page, HOME);
  await visitor.click(page.getByRole("main").getByRole("link", { name: "Safety guide" }).first());
  await expectScreen(page, "Safety guide");
  expect(visitor.actions).toBe(1);
});

test("A rejected email is corrected and sent in two actions", async ({ page, browserErrors }) => {
  const visitor = new Visitor(page);
  await open(page, HOME);
  const dialog = await openDialog(page);
  await fillForm(dialog, { email: newEmail("reject") });
  await dialog.getByRole("button", { name: "Continue" }).click();
  await expect(dialog.getByLabel("Email")).toBeFocused();
  await expectFailedSignups(browserErrors, 1);
  await visitor.type(newEmail());
  await visitor.press("Enter");
  await expectScreen(page, "You’re signed up");
  expect(visitor.actions).toBeLessThanOrEqual(3);
});
