// What only a real browser shows of the dialog: modality, focus, layout and history.
import { chromium, type Locator, type Page } from "@playwright/test";

import { launchOptions } from "../support/chromium.mjs";
import { test, expect } from "../support/fixtures";
import { holdRequests, waitForEventHandlers, SHELL, waitForHydration } from "../support/hydration";
import { boxOf } from "../support/layout";
import { fillForm, joinDialog, openDialog, openPage } from "../support/signup";

/** Returns the name of the focused element, and whether it is outside the open dialog. Focus on `body` is the browser UI. */
function focused(page: Page): Promise<{ name: string; outside: boolean }> {
  return page.evaluate(() => {
    const { activeElement } = document;
    const label = (activeElement as HTMLInputElement | null)?.labels?.[0]?.textContent;
    return {
      name: activeElement?.getAttribute("aria-label") ?? label ?? activeElement?.textContent ?? "",
      outside: activeElement !== document.body && activeElement?.closest("dialog[open]") === null,
    };
  });
}

async function pointOutside(dialog: Locator): Promise<[x: number, y: number]> {
  const box = await boxOf(dialog);
  return [box.x / 2, box.y + box.height / 2];
}

test("The dialog is modal, traps the focus and locks page scroll", async ({ page }) => {
  await openPage(page, "/terms");
  const session = await page.context().newCDPSession(page);
  const names = async (role: string): Promise<string[]> => {
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const found = nodes.filter((node) => !node.ignored && node.role?.value === role);
    return found.map((node) => String(node.name?.value));
  };
  expect(await names("link")).toContain("About");
  await expect(page.locator("html")).not.toHaveCSS("overflow-y", "hidden");
  const dialog = await openDialog(page);
  await expect(page.locator("html")).toHaveCSS("overflow-y", "hidden");
  await expect(page.locator("dialog:modal")).toHaveCount(1);
  await expect(dialog.getByRole("heading")).toBeFocused();
  expect(await names("dialog")).toEqual(["Create your account"]);
  expect(await names("link")).toEqual(["Terms", "Privacy"]);
  expect(await names("heading")).toEqual(["Create your account"]);

  const order: string[] = [];
  for (const key of [...Array<string>(12).fill("Tab"), ...Array<string>(14).fill("Shift+Tab")]) {
    await page.keyboard.press(key);
    const { name, outside } = await focused(page);
    expect(outside, `${key} leads to ${name}`).toBe(false);
    order.push(name);
  }
  const fields = ["Email", "Password", "Show password", "Age"];
  expect(order.slice(0, 9)).toEqual(["Close", ...fields, "Terms", "Privacy", "Continue", "Cancel"]);
});

test("The dialog closes by Escape and outside click, and focuses its opener", async ({ page }) => {
  const WAYS: readonly [name: string, close: (dialog: Locator) => Promise<void>][] = [
    ["Escape in a field", () => page.keyboard.press("Escape")],
    ["a click outside", async (dialog) => page.mouse.click(...(await pointOutside(dialog)))],
  ];
  await openPage(page, "/about-escort-babylon");
  const opener = page.getByRole("button", { name: "Join Now" });
  const dialog = joinDialog(page);
  for (const [name, close] of WAYS) {
    await test.step(name, async () => {
      await opener.click();
      await fillForm(dialog);
      await close(dialog);
      await expect(dialog).toBeHidden();
      await expect(opener).toBeFocused();
      await expect(page.locator("dialog:modal")).toHaveCount(0);
      await expect(page.locator("html")).not.toHaveCSS("overflow-y", "hidden");
    });
  }
  await test.step("but not by a drag that ends outside", async () => {
    await opener.click();
    await dialog.getByRole("heading").hover();
    await page.mouse.down();
    await page.mouse.move(...(await pointOutside(dialog)));
    await page.mouse.up();
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
  });
  await test.step("opened from the menu, it focuses the menu's toggle", async () => {
    // Wide screens have the button in the header.
    await page.setViewportSize({ width: 700, height: 800 });
    await page.getByRole("banner").locator("summary").click();
    await page.getByRole("banner").getByRole("button", { name: "Join Free" }).click();
    await expect(dialog).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("banner").locator("summary")).toBeFocused();
  });
});

test("Back navigation closes the dialog, and forward does not reopen it", async ({ page }) => {
  await openPage(page, "/about-escort-babylon");
  const heading = page.getByRole("heading", { level: 1 });
  await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
  await expect(heading).toContainText("Terms");
  const dialog = await openDialog(page);
  await page.goBack();
  await expect(dialog).toBeHidden();
  await expect(heading).toContainText("Guides");
  await page.goForward();
  await expect(heading).toContainText("Terms");
  await expect(dialog).toBeHidden();
  await openDialog(page);
});

test("Closing the dialog focuses an opener clicked early", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  const startSection = await holdRequests(page, /\/assets\/legal\/.*\.js$/);
  await page.goto("/terms", { waitUntil: "commit" });
  startShell();
  await waitForEventHandlers(page);
  const dialog = await openDialog(page);
  startSection();
  await waitForHydration(page);
  await expect(dialog.getByRole("heading")).toBeFocused();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("contentinfo").getByRole("button", { name: "Join Free" })).toBeFocused();
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

test("Beside a scrollbar, the dialog is centered and dims the whole window", async ({ site }) => {
  // Scrollbars that take space, which tests otherwise hide.
  const browser = await chromium.launch({ ...launchOptions(), ignoreDefaultArgs: ["--hide-scrollbars"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  await openPage(page, `${site.url}/terms`);
  const bodyWidth = (): Promise<number> => page.evaluate(() => document.body.getBoundingClientRect().width);
  const width = await bodyWidth();
  expect(width, "the scrollbar takes space").toBeLessThan(1280);
  const dialog = await openDialog(page);
  expect(await bodyWidth(), "no layout shift").toBe(width);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    // Beside the footer, the page shows its background.
    const [inside, gutter] = [await pixel(page, width - 4, 100), await pixel(page, 1280 - 4, 100)];
    for (const [index, channel] of gutter.entries())
      expect(Math.abs(channel - (inside[index] ?? 0)), `${String(inside)} and ${String(gutter)}`).toBeLessThanOrEqual(
        3,
      );
  }
  await page.setViewportSize({ width: 320, height: 640 });
  const box = await boxOf(dialog);
  expect(320 - box.x - box.width).toBe(box.x);
  await browser.close();
});
