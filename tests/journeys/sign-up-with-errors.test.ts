import { expect, test } from "../support/fixtures";
import {
  expectFailedSignups,
  expectTyped,
  fillForm,
  newAddress,
  PASSWORD,
  receivedFrom,
  visit,
  watchSignups,
} from "../support/signup";
import { expectArrival } from "../support/walk";

test("a visitor signs up with mistakes, is told each in words, and loses nothing that was typed", async ({
  page,
  site,
  complaints,
}) => {
  const form = page.getByRole("main");
  const field = (label: string) => form.getByLabel(label, { exact: true });
  const go = form.getByRole("button", { name: "Continue" });
  const sent = watchSignups(page);
  await visit(page, "/signup");

  await test.step("nothing is filled in: the first field has the focus, and each says what it wants", async () => {
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

  await test.step("a mistake that is put right is no longer one, and the next has the focus", async () => {
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

  await test.step("what the service refuses is said above the form, and what was typed stays", async () => {
    const typed = await fillForm(form, { email: newAddress("reject") });
    await go.click();
    const alert = form.getByRole("alert");
    await expect(alert).toHaveText("This e-mail address is already registered.");
    await expect(alert).toBeFocused();
    await expectTyped(form, typed);
    await expectFailedSignups(complaints, 1);
  });

  await test.step("another address is accepted", async () => {
    const email = newAddress();
    await field("E-mail").fill(email);
    await go.click();
    await expectArrival(page, "Thank you for signing up", "You are signed up - Colonnade Directory");
    expect(receivedFrom(site, email)).toHaveLength(1);
    expect(sent).toHaveLength(2);
  });
});
