import { expect, test } from "../support/own-site";
import {
  expectFailedSignups,
  expectFormValues,
  fillForm,
  newEmail,
  openDialog,
  receivedFrom,
  signUp,
  openPage,
} from "../support/signup";

const RATE_LIMITED = "There were too many sign-ups from your connection. Wait a minute, then try again.";

test("The rate limit shows a message and keeps the input", async ({ page, browser, startOwnSite, browserErrors }) => {
  const own = await startOwnSite({ signup: { rate_limit_per_client_per_minute: 1 } });

  await test.step("in the dialog", async () => {
    await openPage(page, `${own.url}/terms`);
    const dialog = await openDialog(page);
    await signUp(dialog, { email: newEmail("wordless") });
    await expect(dialog.getByRole("alert")).toBeVisible();
    const typed = await signUp(dialog);
    await expect(dialog.getByRole("alert")).toHaveText(RATE_LIMITED);
    await expectFormValues(dialog, typed);
    await expect(dialog.getByRole("timer")).toHaveCount(0);
    await expectFailedSignups(browserErrors, 2);
    expect(receivedFrom(own, typed.email)).toEqual([]);
  });

  await test.step("on the page without JavaScript, which keeps only the e-mail", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(`${own.url}/signup`);
    const form = plain.getByRole("main");
    const { email } = await fillForm(form);
    const answer = plain.waitForResponse((response) => response.request().method() === "POST");
    await form.getByRole("button", { name: "Continue" }).click();
    expect((await answer).status()).toBe(429);
    await expect(form.getByRole("alert")).toHaveText(RATE_LIMITED);
    await expect(form.getByLabel("Email")).toHaveValue(email);
    await expect(form.getByLabel("Password", { exact: true })).toHaveValue("");
    expect(receivedFrom(own, email)).toEqual([]);
    await context.close();
  });
});
