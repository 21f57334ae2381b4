import { testOn } from "../support/configured";
import { expect } from "../support/fixtures";
import {
  expectFailedSignups,
  expectTyped,
  fillForm,
  newAddress,
  openDialog,
  receivedFrom,
  signUp,
  visit,
} from "../support/signup";

const TOO_OFTEN = "There were too many sign-ups from your connection. Please wait a minute and try again.";

const limited = testOn({ signup: { attempts_per_client: 1 } });

limited.describe.configure({ mode: "serial" });

limited.describe("who signs up too often", () => {
  limited("is told to wait in the dialog, which keeps what was typed", async ({ page, site, complaints }) => {
    await visit(page, "/terms");
    const refused = await openDialog(page);
    await signUp(refused, { email: newAddress("reject") });
    await expect(refused.getByRole("alert")).toBeVisible();
    const typed = await signUp(refused);
    await expect(refused.getByRole("alert")).toHaveText(TOO_OFTEN);
    await expectTyped(refused, typed);
    await expect(refused.getByRole("timer")).toHaveCount(0);
    await expectFailedSignups(complaints, 2);
    expect(receivedFrom(site, typed.email)).toEqual([]);
  });

  limited.describe("without JavaScript", () => {
    limited.use({ javaScriptEnabled: false });

    limited("reads so on the page, which keeps the e-mail", async ({ page, site, complaints }) => {
      await page.goto("/signup");
      const form = page.getByRole("main");
      const { email } = await fillForm(form);
      const answer = page.waitForResponse((response) => response.request().method() === "POST");
      await form.getByRole("button", { name: "Continue" }).click();
      expect((await answer).status()).toBe(429);
      await expect(form.getByRole("alert")).toHaveText(TOO_OFTEN);
      await expect(form.getByLabel("E-mail")).toHaveValue(email);
      await expect(form.getByLabel("Password", { exact: true })).toHaveValue("");
      await expectFailedSignups(complaints, 1);
      expect(receivedFrom(site, email)).toEqual([]);
    });
  });
});
