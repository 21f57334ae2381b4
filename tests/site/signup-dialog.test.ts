import type { Locator, Page } from "@playwright/test";

import { test, expect } from "../support/fixtures";
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
  const box = await dialog.boundingBox();
  if (!box) throw new Error("the dialog is not visible");
  return [box.x / 2, box.y + box.height / 2];
}

test.describe("The sign-up dialog", () => {
  test("discloses recipients, affiliate tag and partner", async ({ page, site }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    await expect(dialog.getByRole("textbox")).toHaveCount(3);
    await expect(dialog.getByLabel("Email")).toHaveAttribute("type", "email");
    await expect(dialog.getByLabel("Email")).toHaveAttribute("autocomplete", "email");
    await expect(dialog.getByLabel("Password", { exact: true })).toHaveAttribute("type", "password");
    await expect(dialog.getByLabel("Password", { exact: true })).toHaveAttribute("autocomplete", "new-password");
    await expect(dialog.getByLabel("Age")).toHaveAttribute("inputmode", "numeric");
    await expect(dialog.getByLabel("Age")).toHaveAccessibleDescription(/^Your stated age, /);
    await expect(dialog.getByRole("button")).toHaveText(["", "Show", "Continue", "Cancel"]);
    await expect(dialog.getByRole("button", { name: "Close" })).toBeVisible();
    await expect(dialog).not.toContainText(/verif/i);

    const backend = new URL(site.backend.url).hostname;
    await expect(dialog.getByRole("term")).toHaveText(["Goes to", "Kept here", "Commission", "If unavailable"]);
    await expect(dialog.getByRole("definition")).toHaveText(
      [
        `${backend}, which creates your account. We send nothing until you choose Continue.`,
        "Nothing. We pass on your email, password, and stated age, and we don’t keep them.",
        "Your sign-up carries an affiliate tag, so Colonnade Directory may earn a commission.",
        `We’ll take you to Example Partner (${backend}) through an affiliate link, after a countdown you can stop. ` +
          "Nothing you typed goes there.",
      ],
      { useInnerText: true },
    );
  });

  test("discloses before its button, and links Terms and Privacy", async ({ page, context }) => {
    await openPage(page, "/about-escort-babylon");
    const dialog = await openDialog(page);
    const { email } = await fillForm(dialog);
    const texts = await dialog.locator("p, dd, button").allTextContents();
    const button = texts.indexOf("Continue");
    for (const part of ["which creates your account", "affiliate tag", "We’ll take you to", "Terms and Privacy"]) {
      const place = texts.findIndex((text) => text.includes(part));
      expect(place, part).toBeGreaterThanOrEqual(0);
      expect(place, part).toBeLessThan(button);
    }
    for (const [name, path] of [
      ["Terms", "/terms"],
      ["Privacy", "/privacy"],
    ] as const) {
      const opening = context.waitForEvent("page");
      await dialog.getByRole("link", { name }).click();
      const opened = await opening;
      expect(new URL(opened.url()).pathname).toBe(path);
      await opened.close();
    }
    // The input survives.
    await expect(dialog.getByLabel("Email")).toHaveValue(email);
  });

  test("is modal for assistive technology", async ({ page }) => {
    await openPage(page, "/terms");
    const session = await page.context().newCDPSession(page);
    const names = async (role: string): Promise<string[]> => {
      const { nodes } = await session.send("Accessibility.getFullAXTree");
      const found = nodes.filter((node) => !node.ignored && node.role?.value === role);
      return found.map((node) => String(node.name?.value));
    };
    expect(await names("link")).toContain("About");
    await openDialog(page);
    expect(await names("dialog")).toEqual(["Create your account"]);
    expect(await names("link")).toEqual(["Terms", "Privacy"]);
    expect(await names("heading")).toEqual(["Create your account"]);
    expect(await page.locator("dialog:modal").count()).toBe(1);
  });

  test("focuses its heading and traps the focus in both directions", async ({ page }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    await expect(dialog.getByRole("heading")).toBeFocused();
    const order: string[] = [];
    for (const key of [...Array<string>(12).fill("Tab"), ...Array<string>(14).fill("Shift+Tab")]) {
      await page.keyboard.press(key);
      const { name, outside } = await focused(page);
      expect(outside, `${key} leads to ${name}`).toBe(false);
      order.push(name);
    }
    expect(order.slice(0, 9)).toEqual([
      "Close",
      "Email",
      "Password",
      "Show password",
      "Age",
      "Terms",
      "Privacy",
      "Continue",
      "Cancel",
    ]);
  });

  test("locks page scroll", async ({ page }) => {
    await openPage(page, "/terms");
    await expect(page.locator("html")).not.toHaveCSS("overflow-y", "hidden");
    await openDialog(page);
    await expect(page.locator("html")).toHaveCSS("overflow-y", "hidden");
    await page.keyboard.press("Escape");
    await expect(page.locator("html")).not.toHaveCSS("overflow-y", "hidden");
  });
});

test.describe("The sign-up dialog closes", () => {
  const WAYS: readonly [name: string, close: (page: Page, dialog: Locator) => Promise<void>][] = [
    ["the X", (_, dialog) => dialog.getByRole("button", { name: "Close" }).click()],
    ["Cancel", (_, dialog) => dialog.getByRole("button", { name: "Cancel" }).click()],
    ["Escape", (page) => page.keyboard.press("Escape")],
    [
      "Escape in a field",
      async (page, dialog) => {
        await dialog.getByLabel("Age").focus();
        await page.keyboard.press("Escape");
      },
    ],
    ["a click outside", async (page, dialog) => page.mouse.click(...(await pointOutside(dialog)))],
  ];

  test("by X, Cancel, Escape and outside click, which focus the opener", async ({ page }) => {
    await openPage(page, "/about-escort-babylon");
    const opener = page.getByRole("button", { name: "Join Now" });
    const dialog = joinDialog(page);
    for (const [name, close] of WAYS) {
      await test.step(name, async () => {
        await opener.click();
        await fillForm(dialog);
        await close(page, dialog);
        await expect(dialog).toBeHidden();
        await expect(opener).toBeFocused();
        expect(await page.evaluate(() => document.querySelector("dialog:modal"))).toBeNull();
      });
    }
    await opener.click();
    await expect(dialog.getByLabel("Password", { exact: true }), "password is cleared").toHaveValue("");
  });

  test("neither by a click inside nor by a drag that ends outside", async ({ page }) => {
    await openPage(page, "/about-escort-babylon");
    const dialog = await openDialog(page);
    await dialog.getByText("Your sign-up carries an affiliate tag").click();
    await dialog.getByRole("heading").hover();
    await page.mouse.down();
    await page.mouse.move(...(await pointOutside(dialog)));
    await page.mouse.up();
    await expect(dialog).toBeVisible();
  });

  test("on back navigation; forward does not reopen it", async ({ page }) => {
    await openPage(page, "/about-escort-babylon");
    await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Terms");
    const dialog = await openDialog(page);
    await page.goBack();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("About");
    await page.goForward();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Terms");
    await expect(dialog).toBeHidden();
    await page.goBack();
    await page.getByRole("button", { name: "Join Now" }).click();
    await expect(dialog).toBeVisible();
  });
});
