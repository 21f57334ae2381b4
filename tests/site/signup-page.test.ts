import type { Page } from "@playwright/test";

import { test, expect } from "../support/own-site";
import {
  EMAIL_TAKEN,
  expectFailedSignups,
  expectFormValues,
  fillForm,
  newEmail,
  PASSWORD,
  receivedFrom,
  SIGNUP_FAILED,
  signUp,
  openPage,
  type FormValues,
} from "../support/signup";

/** Posts the form like a browser without JavaScript. */
async function postForm(page: Page, typed: Partial<FormValues> = {}): Promise<FormValues> {
  const all = await fillForm(page.getByRole("main"), typed);
  await page.locator("main form").evaluate((form) => {
    HTMLFormElement.prototype.submit.call(form);
  });
  return all;
}

test.describe("The sign-up page", () => {
  test("has the dialog's form and is not indexed", async ({ page }) => {
    await openPage(page, "/signup");
    await expect(page).toHaveTitle("Sign up - Colonnade Directory");
    await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
    await expect(page.locator("meta[name=description]")).toHaveAttribute("content", /who receives your details/);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", "http://localhost:8080/signup");
    await expect(page.getByRole("contentinfo")).toContainText("18+ only");
    const form = page.getByRole("main");
    await expect(form.getByRole("heading")).toHaveText("Create your account");
    await expect(form.getByRole("textbox")).toHaveCount(3);
    await expect(form.getByRole("button")).toHaveText(["Show", "Continue"]);
    await expect(form).toContainText("127.0.0.1, which creates your account");
    await expect(form).toContainText("Your sign-up carries an affiliate tag");
    await expect(form).toContainText("We’ll take you to Example Partner (127.0.0.1) through an affiliate link");
    await expect(form.getByRole("link")).toHaveText(["Terms", "Privacy"]);
  });

  test("sends the input and leads to /success", async ({ page, site }) => {
    await openPage(page, "/signup");
    const { email } = await signUp(page.getByRole("main"));
    await page.waitForURL("/success");
    expect(receivedFrom(site, email)).toEqual([
      { authorized: true, body: { email, password: PASSWORD, age: 34, affiliate_subid: "colonnade" } },
    ]);
  });

  test("shows the backend's error and keeps the input", async ({ page, browserErrors }) => {
    await openPage(page, "/signup");
    const form = page.getByRole("main");
    const typed = await signUp(form, { email: newEmail("reject") });
    await expect(form.getByLabel("Email")).toHaveAccessibleDescription(EMAIL_TAKEN);
    await expectFormValues(form, typed);
    await expectFailedSignups(browserErrors, 1);
  });
});

test.describe("A form post from the sign-up page", () => {
  test("redirects to /success or the backend's redirectUrl", async ({ page, site }) => {
    for (const [local, path] of [
      ["visitor", "/success"],
      ["redirect", "/terms"],
      ["evil", "/success"],
    ] as const) {
      await openPage(page, "/signup");
      const { email } = await postForm(page, { email: newEmail(local) });
      await page.waitForURL(path);
      expect(receivedFrom(site, email)).toEqual([
        { authorized: true, body: { email, password: PASSWORD, age: 34, affiliate_subid: "colonnade" } },
      ]);
    }
  });

  test("that is rejected returns the page with error and e-mail", async ({ page, browserErrors }) => {
    await openPage(page, "/signup");
    const answering = page.waitForResponse("**/functions/v1/signup");
    const { email } = await postForm(page, { email: newEmail("reject") });
    const answer = await answering;
    expect(answer.status()).toBe(409);
    expect(answer.headers()["cache-control"]).toContain("no-store");
    // One word of the password, because escaping would change the rest.
    expect(PASSWORD).toContain("horse");
    expect(await answer.text()).not.toContain("horse");
    const form = page.getByRole("main");
    await expect(form.getByLabel("Email")).toHaveAccessibleDescription(EMAIL_TAKEN);
    await expectFormValues(form, { email, password: "", age: "" });
    await expectFailedSignups(browserErrors, 1);
    // A reload shows the page without posting again.
    expect(new URL(page.url()).pathname).toBe("/signup");
    await page.reload();
    await expect(form.getByLabel("Email")).toBeVisible();
    await expect(form.locator("[aria-invalid]")).toHaveCount(0);

    // The hydrated form works.
    await signUp(form);
    await page.waitForURL("/success");
  });

  test("shows its error once: back navigation shows an empty form", async ({ page, browserErrors }) => {
    await openPage(page, "/signup");
    await postForm(page, { email: newEmail("reject") });
    const form = page.getByRole("main");
    await expect(form.getByLabel("Email")).toBeFocused();
    await expectFailedSignups(browserErrors, 1);
    await signUp(form);
    await page.waitForURL("/success");
    await expect(page.getByRole("heading", { level: 1, name: "You’re signed up" })).toBeFocused();
    await page.goBack();
    await expect(form.getByRole("heading", { level: 1, name: "Create your account" })).toBeVisible();
    await expectFormValues(form, { email: "", password: "", age: "" });
    await expect(form.locator("[aria-invalid]")).toHaveCount(0);
  });

  test("redirects to an allowed host, which the CSP permits", async ({ page, browserErrors }) => {
    await openPage(page, "/signup");
    const arriving = page.waitForRequest("https://members.example.com/**");
    const { email } = await postForm(page, { email: newEmail("away") });
    const request = await arriving;
    expect([request.method(), request.url()]).toEqual(["GET", "https://members.example.com/welcome"]);
    expect(request.url()).not.toContain(email);
    expect(request.redirectedFrom()?.method()).toBe("POST");
    expect(browserErrors.cspViolations).toEqual([]);
  });

  test("with an age under 18 ends sign-up without the partner", async ({ page, site, browserErrors }) => {
    await openPage(page, "/signup");
    const { email } = await postForm(page, { age: "17" });
    await expect(page.getByRole("heading", { level: 1, name: "Sign-up ends here" })).toBeVisible();
    const main = page.getByRole("main");
    await expect(main).toContainText("Thank you for telling us your age.");
    await expect(main).toContainText("We didn’t save or send anything you entered.");
    await expect(main).not.toContainText("Example Partner");
    await expect(main.getByRole("textbox")).toHaveCount(0);
    expect(receivedFrom(site, email)).toEqual([]);
    await expectFailedSignups(browserErrors, 1);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog", { name: "Sign-up ends here" })).toBeVisible();
  });

  test("returns the partner link when the backend fails", async ({ page, site, browserErrors }) => {
    await openPage(page, "/signup");
    const answering = page.waitForResponse("**/functions/v1/signup");
    const { email } = await postForm(page, { email: newEmail("html") });
    const answer = await answering;
    expect(answer.headers().refresh).toBeUndefined();
    expect(await answer.text()).not.toMatch(/http-equiv/i);
    const form = page.getByRole("main");
    await expect(form.getByRole("alert")).toContainText(SIGNUP_FAILED);
    const link = form.getByRole("alert").getByRole("link");
    await expect(link).toHaveText("Example Partner (127.0.0.1) Affiliate link");
    await expect(link).toHaveAttribute("rel", "sponsored nofollow noopener");
    await expect(link).toHaveAttribute("href", `${site.backend.url}/partner?subid=colonnade`);
    await expect(form.getByRole("timer")).toHaveCount(0);
    await expect(form.getByLabel("Email")).toHaveValue(email);
    await expectFailedSignups(browserErrors, 1);
  });

  test("names no partner when none is configured", async ({ page, startOwnSite, browserErrors }) => {
    const own = await startOwnSite({ partner: false });
    await openPage(page, `${own.url}/signup`);
    await postForm(page, { email: newEmail("html") });
    const form = page.getByRole("main");
    await expect(form.getByRole("alert")).toHaveText(SIGNUP_FAILED);
    await expect(form).not.toContainText(/partner/i);
    await expectFailedSignups(browserErrors, 1);
  });
});
