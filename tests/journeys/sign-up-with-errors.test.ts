import { expect, test } from "../support/fixtures";
import {
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
    for (const label of ["E-mail", "Password", "Age"]) await expect(field(label)).not.toHaveAttribute("aria-invalid");
    await go.click();
    await expect(field("E-mail")).toBeFocused();
    await expect(field("E-mail")).toHaveAccessibleDescription("Enter your e-mail address.");
    await expect(field("Password")).toHaveAccessibleDescription(
      "At least 6 characters. Spaces count. Enter a password.",
    );
    await expect(field("Age")).toHaveAccessibleDescription(
      "Your stated age in whole years, from 18 to 120. Enter your age.",
    );
    for (const label of ["E-mail", "Password", "Age"])
      await expect(field(label)).toHaveAttribute("aria-invalid", "true");
  });

  await test.step("A corrected mistake clears, and the next one is focused", async () => {
    await field("E-mail").fill("visitor");
    await expect(field("E-mail")).toHaveAttribute("aria-invalid", "true");
    await field("E-mail").fill("visitor@example.com");
    await expect(field("E-mail")).not.toHaveAttribute("aria-invalid");
    await expect(field("E-mail")).toHaveAccessibleDescription("");
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

  await test.step("A rejection is shown above the form, which keeps its input", async () => {
    const typed = await fillForm(form, { email: newEmail("reject") });
    await go.click();
    const alert = form.getByRole("alert");
    await expect(alert).toHaveText("This e-mail address is already registered.");
    await expect(alert).toBeFocused();
    await expectFormValues(form, typed);
    await expectFailedSignups(browserErrors, 1);
  });

  await test.step("Another address is accepted", async () => {
    const email = newEmail();
    await field("E-mail").fill(email);
    await go.click();
    await expectPageAnnounced(page, "Thank you for signing up", "You are signed up - Colonnade Directory");
    expect(receivedFrom(site, email)).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });
});
