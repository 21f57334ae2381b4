import { expect, test } from "../support/fixtures";
import { open } from "../support/screens";
import { fillForm, joinDialog, newEmail, receivedFrom, SAMPLE_SENTENCE } from "../support/signup";
import { expectPageAnnounced } from "../support/keyboard";

test.use({ reducedMotion: "no-preference" });

test("A visitor signs up from an ad after the disclosure", async ({ page, site }) => {
  const reply = page.getByRole("main").getByRole("button", { name: "Reply", exact: true });
  const dialog = joinDialog(page);

  await test.step("'Reply' opens the dialog with the sample notice first", async () => {
    await open(page, {
      name: "an ad",
      path: "/city/Texas/Houston/ad/4251",
      heading: "Coffee and an unhurried conversation",
    });
    await reply.click();
    await expect(dialog).toHaveAccessibleDescription(SAMPLE_SENTENCE);
    await expect(dialog.getByRole("heading", { name: "Create your account" })).toBeFocused();
  });

  await test.step("The reading order is heading, fields, disclosure, button", async () => {
    await expect(dialog).toMatchAriaSnapshot(`
      - dialog "Create your account":
        - heading "Create your account" [level=2]
        - button "Close"
        - paragraph: /These ads are samples/
        - text: Email
        - textbox "Email"
        - text: Password
        - paragraph: At least 6 characters. Spaces count.
        - textbox "Password"
        - button "Show password"
        - text: Age
        - paragraph: Your stated age, from 18 to 120.
        - textbox "Age"
        - term: Goes to
        - definition:
          - strong: 127.0.0.1
          - text: /, which creates your account/
        - term: Kept here
        - definition: /Nothing\\./
        - term: Commission
        - definition: /affiliate tag/
        - term: If unavailable
        - definition:
          - text: We’ll take you to
          - strong: Example Partner
        - paragraph:
          - link "Terms"
          - link "Privacy"
        - status
        - button "Continue"
        - button "Cancel"
    `);
    for (const [label, token] of [
      ["Email", "email"],
      ["Password", "new-password"],
      ["Age", "off"],
    ] as const)
      await expect(dialog.getByLabel(label, { exact: true })).toHaveAttribute("autocomplete", token);
  });

  await test.step("Escape closes the dialog and returns the focus", async () => {
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await expect(reply).toBeFocused();
    await reply.click();
  });

  await test.step("The password can be revealed", async () => {
    const password = dialog.getByLabel("Password", { exact: true });
    await password.fill("correct horse");
    await dialog.getByRole("button", { name: "Show password" }).click();
    await expect(dialog.getByRole("button", { name: "Hide password" })).toBeFocused();
    await expect(dialog.getByRole("status")).toHaveText("Your password is showing.");
    await expect(password).toHaveAttribute("type", "text");
    await expect(password).toHaveValue("correct horse");
  });

  await test.step("Submitting is announced, and then the account exists", async () => {
    const { email } = await fillForm(dialog, { email: newEmail("slow") });
    await dialog.getByRole("button", { name: "Continue" }).press("Enter");
    const busy = dialog.getByRole("button", { name: "Creating Account..." });
    await expect(busy).toBeDisabled();
    await expect(busy).toBeFocused();
    await busy.press("Enter");
    await dialog.getByLabel("Age").press("Enter");
    await expect(dialog.getByRole("status")).toHaveText("Your sign-up is being sent.");
    await expect(dialog.getByLabel("Password", { exact: true })).toHaveAttribute("type", "password");
    await expect.poll(() => site.backend.release()).toBe(1);
    await expectPageAnnounced(page, "You’re signed up", "Your account - Colonnade Directory");
    await expect(dialog).toBeHidden();
    expect(receivedFrom(site, email)).toHaveLength(1);
  });
});
