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

test("A visitor corrects each mistake and loses no input", async ({ page, site, browserErrors }) => {
  const form = page.getByRole("main");
  const field = (label: string) => form.getByLabel(label, { exact: true });
  const go = form.getByRole("button", { name: "Continue" });
  const sent = recordSignupRequests(page);
  await openPage(page, "/signup");

  await test.step("An empty form focuses its first field and explains each", async () => {
    await expect(form.locator("[aria-invalid]")).toHaveCount(0);
    await go.click();
    await expect(field("Email")).toBeFocused();
    await expect(form.locator("[aria-invalid]")).toHaveCount(3);
    await expect(field("Email")).toHaveAccessibleDescription("Enter your email address.");
    await expect(field("Password")).toHaveAccessibleDescription(
      "At least 6 characters. Spaces count. Enter a password of at least 6 characters.",
    );
    await expect(field("Age")).toHaveAccessibleDescription(
      "Your stated age, from 18 to 120. Enter your age as a whole number from 18 to 120.",
    );
  });

  await test.step("A rejected address is explained at its field, and all input is kept", async () => {
    const typed = await fillForm(form, { email: newEmail("reject") });
    await expect(form.locator("[aria-invalid]")).toHaveCount(0);
    expect(sent).toEqual([]);
    await go.click();
    await expect(field("Email")).toBeFocused();
    await expect(field("Email")).toHaveAccessibleDescription(EMAIL_TAKEN);
    await expectFormValues(form, typed);
    await expectFailedSignups(browserErrors, 1);
  });

  // Two actions: the field is focused.
  await test.step("Another address is accepted", async () => {
    const email = newEmail();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText(email);
    await page.keyboard.press("Enter");
    await expectPageAnnounced(page, "You’re signed up", "Your account - Colonnade Directory");
    expect(receivedFrom(site, email)).toEqual([
      { authorized: true, body: { email, password: PASSWORD, age: 34, affiliate_subid: "colonnade" } },
    ]);
    expect(sent).toHaveLength(2);
  });
});
