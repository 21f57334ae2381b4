import type { Locator } from "@playwright/test";

import { test, expect } from "../support/fixtures";
import {
  expectFormValues,
  fillForm,
  joinDialog,
  newEmail,
  openDialog,
  PASSWORD,
  receivedFrom,
  signUp,
  openPage,
  recordSignupRequests,
} from "../support/signup";

const EMAIL_FORMAT = "Enter an email address like name@example.com.";
const WHOLE_NUMBER = "Enter your age as a whole number from 18 to 120.";

// Invalid values and their error messages.
const MISTAKES = [
  ["Email", "", "Enter your email address."],
  ["Email", "visitor", EMAIL_FORMAT],
  ["Email", "visitor@", EMAIL_FORMAT],
  ["Email", "a b@example.com", EMAIL_FORMAT],
  ["Email", "visitor@exa_mple.com", EMAIL_FORMAT],
  ["Password", "", "Enter a password of at least 6 characters."],
  ["Password", "12345", "Use at least 6 characters."],
  ["Password", "🔑🔑🔑🔑🔑", "Use at least 6 characters."],
  ["Password", "a".repeat(257), "Use at most 256 characters."],
  ["Age", "", WHOLE_NUMBER],
  ["Age", "121", WHOLE_NUMBER],
  ["Age", "18.5", WHOLE_NUMBER],
  ["Age", "-18", WHOLE_NUMBER],
  ["Age", "eighteen", WHOLE_NUMBER],
  ["Age", "1e2", WHOLE_NUMBER],
  ["Age", "٢٠", WHOLE_NUMBER],
] as const;

function field(form: Locator, name: string): Locator {
  return form.getByLabel(name, { exact: true });
}

test.describe("The sign-up form", () => {
  test("shows mistakes at their fields, keeps input, sends nothing", async ({ page }) => {
    await openPage(page, "/signup");
    const form = page.getByRole("main");
    const sent = recordSignupRequests(page);
    for (const [name, text, message] of MISTAKES) {
      await test.step(`${name}: "${text.slice(0, 20)}"`, async () => {
        const typed = await fillForm(form);
        await field(form, name).fill(text);
        await form.getByRole("button", { name: "Continue" }).click();
        await expect(field(form, name)).toBeFocused();
        await expect(field(form, name)).toHaveAttribute("aria-invalid", "true");
        await expect(field(form, name)).toHaveAccessibleDescription(new RegExp(`${message.replaceAll(".", "\\.")}$`));
        await expectFormValues(form, { ...typed, [name === "Email" ? "email" : name.toLowerCase()]: text });
        await expect(form.locator("[aria-invalid]")).toHaveCount(1);
      });
    }
    expect(sent).toEqual([]);
  });

  test("shows all mistakes, focuses the first, clears corrected ones", async ({ page }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect(field(dialog, "Email")).toBeFocused();
    await expect(dialog.locator("[aria-invalid]")).toHaveCount(3);
    await expect(dialog.getByText("Enter your email address.")).toBeVisible();
    await expect(dialog.getByText("Enter a password of at least 6 characters.")).toBeVisible();
    await expect(dialog.getByText(WHOLE_NUMBER)).toBeVisible();
    await field(dialog, "Email").fill(newEmail());
    await expect(dialog.locator("[aria-invalid]")).toHaveCount(2);
    await field(dialog, "Password").fill("123456");
    await field(dialog, "Age").fill("18");
    await expect(dialog.locator("[aria-invalid]")).toHaveCount(0);
  });

  test("sends the input unchanged, with an untrimmed password", async ({ page, site }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    const sending = page.waitForRequest("**/functions/**");
    const { email } = await signUp(dialog, { age: "120" });
    const request = await sending;
    expect(request.method()).toBe("POST");
    expect(request.url()).toBe(`${site.url}/functions/v1/signup`);
    expect(request.headers()["content-type"]).toBe("application/json");
    expect(JSON.parse(request.postData() ?? "")).toEqual({ email, password: PASSWORD, age: 120 });
    await page.waitForURL("/success");
    expect(receivedFrom(site, email)).toEqual([
      { authorized: true, body: { email, password: PASSWORD, age: 120, affiliate_subid: "colonnade" } },
    ]);
  });

  test("counts password length in code points, from 6 to 256", async ({ page, site }) => {
    for (const password of ["🔑".repeat(6), "🔑".repeat(256)]) {
      await openPage(page, "/signup");
      const { email } = await signUp(page.getByRole("main"), { password, age: "018" });
      await page.waitForURL("/success");
      expect(receivedFrom(site, email).map(({ body }) => body)).toEqual([
        { email, password, age: 18, affiliate_subid: "colonnade" },
      ]);
    }
  });

  test("accepts a pasted password, and reveals it", async ({ page, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openPage(page, "/signup");
    const password = page.getByLabel("Password", { exact: true });
    const show = page.getByRole("button", { name: "Show password" });
    await page.evaluate((text) => navigator.clipboard.writeText(text), PASSWORD);
    await password.focus();
    await page.keyboard.press("ControlOrMeta+v");
    await expect(password).toHaveValue(PASSWORD);
    await expect(password).toHaveAttribute("type", "password");
    await show.click();
    await expect(password).toHaveAttribute("type", "text");
    await page.getByRole("button", { name: "Hide password" }).click();
    await expect(password).toHaveAttribute("type", "password");
    await expect(password).toHaveValue(PASSWORD);
  });

  test("submits on Enter", async ({ page, site }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    const { email } = await fillForm(dialog);
    await field(dialog, "Age").press("Enter");
    await page.waitForURL("/success");
    expect(receivedFrom(site, email)).toHaveLength(1);
  });
});

test.describe("An age under 18", () => {
  for (const age of ["17", "0", "17.5"]) {
    test(`ends sign-up in the tab without sending anything: ${age}`, async ({ page }) => {
      const sent = recordSignupRequests(page);
      await openPage(page, "/about-escort-babylon");
      await signUp(await openDialog(page), { age });
      const ended = page.getByRole("dialog", { name: "Sign-up ends here" });
      await expect(ended).toContainText(/Thank you for telling us your age.*so sign-up ends here/);
      await expect(ended).toContainText("We didn’t save or send anything you entered.");
      await expect(ended.getByRole("textbox")).toHaveCount(0);
      await expect(ended.getByRole("button")).toHaveCount(2);
      // The partner is not offered.
      await expect(ended).not.toContainText("Example Partner");
      await ended.getByText("Close", { exact: true }).click();
      await expect(ended).toBeHidden();

      // The form stays away on other buttons and pages, and after a reload.
      await page.getByRole("button", { name: "Join Now" }).click();
      await expect(ended).toBeVisible();
      await page.keyboard.press("Escape");
      await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toContainText("Terms");
      for (const reload of [false, true]) {
        if (reload) await page.reload();
        await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
        await expect(ended).toBeVisible();
        await expect(joinDialog(page)).toHaveCount(0);
        await page.keyboard.press("Escape");
      }
      await openPage(page, "/signup");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign-up ends here");
      await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
      expect(sent).toEqual([]);
      // The flag says only 'closed'.
      expect(
        await page.evaluate(() => [Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
      ).toEqual([[], [["signup", "closed"]], ""]);
    });
  }

  test("ends sign-up also if session storage is denied", async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(window, "sessionStorage", {
        get: () => {
          throw new DOMException("denied", "SecurityError");
        },
      });
    });
    await openPage(page, "/signup");
    await signUp(page.getByRole("main"), { age: "17" });
    const heading = page.getByRole("heading", { level: 1 });
    await expect(heading).toHaveText("Sign-up ends here");
    await page.reload();
    await expect(heading).toHaveText("Sign-up ends here");
  });

  test("ends sign-up regardless of other mistakes", async ({ page }) => {
    await openPage(page, "/signup");
    await signUp(page.getByRole("main"), { email: "", password: "", age: "17" });
    await expect(page.getByRole("heading", { level: 1, name: "Sign-up ends here" })).toBeVisible();
    await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
  });
});
