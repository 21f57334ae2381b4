import { expect, test } from "../support/fixtures";
import {
  EMAIL_TAKEN,
  expectFailedSignups,
  expectFormValues,
  fillForm,
  newEmail,
  PASSWORD,
  receivedFrom,
  openPage,
  recordSignupRequests,
} from "../support/signup";
import { expectPageAnnounced } from "../support/keyboard";

test.use({ reducedMotion: "no-preference" });

test("A visitor corrects each mistake and loses no input", async ({ page, site, browserErrors }) => {
  const form = page.getByRole("main");
  const field = (label: string) => form.getByLabel(label, { exact: true });
  const go = form.getByRole("button", { name: "Continue" });
  const sent = recordSignupRequests(page);
  await openPage(page, "/signup");

  await test.step("An empty form focuses its first field and explains each", async () => {
    for (const label of ["Email", "Password", "Age"]) await expect(field(label)).not.toHaveAttribute("aria-invalid");
    await go.click();
    await expect(field("Email")).toBeFocused();
    await expect(field("Email")).toHaveAccessibleDescription("Enter your email address.");
    await expect(field("Password")).toHaveAccessibleDescription(
      "At least 6 characters. Spaces count. Enter a password of at least 6 characters.",
    );
    await expect(field("Age")).toHaveAccessibleDescription(
      "Your stated age, from 18 to 120. Enter your age as a whole number from 18 to 120.",
    );
    for (const label of ["Email", "Password", "Age"])
      await expect(field(label)).toHaveAttribute("aria-invalid", "true");
  });

  await test.step("A corrected mistake clears, and the next one is focused", async () => {
    await field("Email").fill("visitor");
    await expect(field("Email")).toHaveAttribute("aria-invalid", "true");
    await field("Email").fill("visitor@example.com");
    await expect(field("Email")).not.toHaveAttribute("aria-invalid");
    await expect(field("Email")).toHaveAccessibleDescription("");
    await field("Password").fill("short");
    await field("Age").fill("thirty");
    await go.click();
    await expect(field("Password")).toBeFocused();
    await expect(field("Password")).toHaveAccessibleDescription(/Use at least 6 characters\.$/);
    await expect(field("Age")).toHaveAccessibleDescription(/Enter your age as a whole number from 18 to 120\.$/);
    await field("Password").fill(PASSWORD);
    await go.click();
    await expect(field("Age")).toBeFocused();
    expect(sent).toEqual([]);
  });

  await test.step("A rejected address is explained at its field, and all input is kept", async () => {
    const typed = await fillForm(form, { email: newEmail("reject") });
    await go.click();
    await expect(field("Email")).toBeFocused();
    await expect(field("Email")).toHaveAttribute("aria-invalid", "true");
    await expect(field("Email")).toHaveAccessibleDescription(EMAIL_TAKEN);
    await expect(form.getByRole("alert")).toHaveCount(0);
    await expectFormValues(form, typed);
    await expectFailedSignups(browserErrors, 1);
  });

  // Two actions: the field is focused.
  await test.step("Another address is accepted", async () => {
    const email = newEmail();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(email);
    await go.click();
    await expectPageAnnounced(page, "You’re signed up", "Your account - Colonnade Directory");
    expect(receivedFrom(site, email)).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });
});
