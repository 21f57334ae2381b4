import { expect, test } from "../support/fixtures";
import { expectScreen, open } from "../support/screens";
import { fillForm, joinDialog, newEmail, PASSWORD, receivedFrom, SAMPLE_SENTENCE } from "../support/signup";
import { expectPageAnnounced } from "../support/keyboard";

test("A visitor signs up from an ad after the disclosure", async ({ page, site }) => {
  const dialog = joinDialog(page);

  await test.step("'Reply' opens the dialog with the sample notice first", async () => {
    await open(page, {
      name: "an ad",
      path: "/city/Texas/Houston/ad/4251",
      heading: "Coffee and an unhurried conversation",
    });
    await page.getByRole("main").getByRole("button", { name: "Reply", exact: true }).click();
    await expect(dialog).toHaveAccessibleDescription(SAMPLE_SENTENCE);
    await expect(dialog.getByRole("heading", { name: "Create your account" })).toBeFocused();
  });

  await test.step("Submitting is announced, and sends the input once and unchanged", async () => {
    const sending = page.waitForRequest("**/functions/**");
    const { email } = await fillForm(dialog, { email: newEmail("slow"), age: "120" });
    await dialog.getByRole("button", { name: "Continue" }).press("Enter");
    const busy = dialog.getByRole("button", { name: "Creating Account..." });
    await expect(busy).toBeDisabled();
    await expect(busy).toBeFocused();
    await busy.press("Enter");
    await dialog.getByLabel("Age").press("Enter");
    await expect(dialog.getByRole("status")).toHaveText("Your sign-up is being sent.");
    const request = await sending;
    expect([request.method(), request.url()]).toEqual(["POST", `${site.url}/functions/v1/signup`]);
    expect(request.headers()["content-type"]).toBe("application/json");
    expect(request.postDataJSON()).toEqual({ email, password: PASSWORD, age: 120 });
    await expect.poll(() => site.backend.release()).toBe(1);
    await expectPageAnnounced(page, "You’re signed up", "Your account - Colonnade Directory");
    await expect(dialog).toBeHidden();
    expect(receivedFrom(site, email)).toEqual([
      { authorized: true, body: { email, password: PASSWORD, age: 120, affiliate_subid: "colonnade" } },
    ]);
  });

  await test.step("Who leaves the success page and returns finds neutral words", async () => {
    await page.getByRole("main").getByRole("link", { name: "Back to Colonnade Directory" }).click();
    await expectScreen(page, "Browse by state. Know what you’re reading.");
    await page.goBack();
    await expectScreen(page, "Your account");
  });
});
