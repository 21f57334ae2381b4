import type { Page } from "@playwright/test";

import { test, expect } from "../support/beside";
import {
  expectFailedSignups,
  expectTyped,
  fillForm,
  newAddress,
  PASSWORD,
  receivedFrom,
  SIGNUP_FAILED,
  signUp,
  visit,
  type Typed,
} from "../support/signup";

/** Posts the form the way a browser without script does. */
async function postForm(page: Page, typed: Partial<Typed> = {}): Promise<Typed> {
  const all = await fillForm(page.getByRole("main"), typed);
  await page.locator("main form").evaluate((form) => {
    HTMLFormElement.prototype.submit.call(form);
  });
  return all;
}

test.describe("the sign-up page", () => {
  test("is the dialog's form as a page, and for no search engine", async ({ page }) => {
    await visit(page, "/signup");
    await expect(page).toHaveTitle("Sign up - Colonnade Directory");
    await expect(page.locator("meta[name=robots]")).toHaveAttribute("content", "noindex");
    await expect(page.locator("meta[name=description]")).toHaveAttribute("content", /who receives your details/);
    await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", "http://localhost:8080/signup");
    await expect(page.getByRole("contentinfo")).toContainText("18+ only");
    const form = page.getByRole("main");
    await expect(form.getByRole("heading")).toHaveText("Create your account");
    await expect(form.getByRole("textbox")).toHaveCount(3);
    await expect(form.getByRole("button")).toHaveText(["Show password", "Continue"]);
    await expect(form).toContainText("your e-mail, password and stated age go to 127.0.0.1");
    await expect(form).toContainText("The sign-up carries an affiliate tag");
    await expect(form).toContainText("you are taken to Example Partner (127.0.0.1) through an affiliate link");
    await expect(form.getByRole("link")).toHaveText(["Terms", "Privacy"]);
  });

  test("sends what was typed, and leads to /success", async ({ page, site }) => {
    await visit(page, "/signup");
    const { email } = await signUp(page.getByRole("main"));
    await page.waitForURL("/success");
    expect(receivedFrom(site, email)).toEqual([
      { authorized: true, body: { email, password: PASSWORD, age: 34, affiliate_subid: "colonnade" } },
    ]);
  });

  test("shows the backend's error, and keeps what was typed", async ({ page, complaints }) => {
    await visit(page, "/signup");
    const form = page.getByRole("main");
    const typed = await signUp(form, { email: newAddress("reject") });
    await expect(form.getByRole("alert")).toHaveText("This e-mail address is already registered.");
    await expectTyped(form, typed);
    await expectFailedSignups(complaints, 1);
  });
});

test.describe("a form post from the sign-up page", () => {
  test("is answered with a redirect: to /success, or to the backend's redirectUrl", async ({ page, site }) => {
    for (const [local, path] of [
      ["visitor", "/success"],
      ["redirect", "/terms"],
      ["evil", "/success"],
    ] as const) {
      await visit(page, "/signup");
      const { email } = await postForm(page, { email: newAddress(local) });
      await page.waitForURL(path);
      expect(receivedFrom(site, email)).toEqual([
        { authorized: true, body: { email, password: PASSWORD, age: 34, affiliate_subid: "colonnade" } },
      ]);
    }
  });

  test("that the backend refuses is answered with the page, its error and the e-mail address", async ({
    page,
    complaints,
  }) => {
    await visit(page, "/signup");
    const answering = page.waitForResponse("**/functions/v1/signup");
    const { email } = await postForm(page, { email: newAddress("reject") });
    const answer = await answering;
    expect(answer.status()).toBe(409);
    expect(answer.headers()["cache-control"]).toContain("no-store");
    // A word of the password, which stands there however its quotes and signs are written.
    expect(PASSWORD).toContain("horse");
    expect(await answer.text()).not.toContain("horse");
    const form = page.getByRole("main");
    await expect(form.getByRole("alert")).toHaveText("This e-mail address is already registered.");
    await expectTyped(form, { email, password: "", age: "" });
    await expectFailedSignups(complaints, 1);
    // A reload shows the page, and sends nothing again.
    expect(new URL(page.url()).pathname).toBe("/signup");
    await page.reload();
    await expect(form.getByLabel("E-mail")).toBeVisible();
    await expect(form.getByRole("alert")).toHaveCount(0);

    // From here script goes on: the same form, and what is typed now.
    await signUp(form);
    await page.waitForURL("/success");
  });

  test("that was refused is answered once: the way back shows the form as it is at first", async ({
    page,
    complaints,
  }) => {
    await visit(page, "/signup");
    await postForm(page, { email: newAddress("reject") });
    const form = page.getByRole("main");
    await expect(form.getByRole("alert")).toBeFocused();
    await expectFailedSignups(complaints, 1);
    await signUp(form);
    await page.waitForURL("/success");
    await expect(page.getByRole("heading", { level: 1, name: "Thank you for signing up" })).toBeFocused();
    await page.goBack();
    await expect(form.getByRole("heading", { level: 1, name: "Create your account" })).toBeVisible();
    await expectTyped(form, { email: "", password: "", age: "" });
    await expect(form.getByRole("alert")).toHaveCount(0);
  });

  test("leads to redirectUrl on a configured host, which the policy of the page lets it", async ({
    page,
    complaints,
  }) => {
    await visit(page, "/signup");
    const arriving = page.waitForRequest("https://members.example.com/**");
    const { email } = await postForm(page, { email: newAddress("away") });
    const request = await arriving;
    expect([request.method(), request.url()]).toEqual(["GET", "https://members.example.com/welcome"]);
    expect(request.url()).not.toContain(email);
    expect(request.redirectedFrom()?.method()).toBe("POST");
    expect(complaints.violations).toEqual([]);
  });

  test("that states an age under 18 ends sign-up in that tab, kindly, with no way to the partner", async ({
    page,
    site,
    complaints,
  }) => {
    await visit(page, "/signup");
    const { email } = await postForm(page, { age: "17" });
    await expect(page.getByRole("heading", { level: 1, name: "Sign-up ends here" })).toBeVisible();
    const main = page.getByRole("main");
    await expect(main).toContainText("Thank you for telling us your age.");
    await expect(main).toContainText("Nothing of this attempt was passed on or kept.");
    await expect(main).not.toContainText("Example Partner");
    await expect(main.getByRole("textbox")).toHaveCount(0);
    expect(receivedFrom(site, email)).toEqual([]);
    await expectFailedSignups(complaints, 1);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog", { name: "Sign-up ends here" })).toBeVisible();
  });

  test("out of reach is answered with the page and the labelled link, and leads nowhere by itself", async ({
    page,
    site,
    complaints,
  }) => {
    await visit(page, "/signup");
    const answering = page.waitForResponse("**/functions/v1/signup");
    const { email } = await postForm(page, { email: newAddress("html") });
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
    await expect(form.getByLabel("E-mail")).toHaveValue(email);
    await expectFailedSignups(complaints, 1);
  });

  test("out of reach names no partner where there is none", async ({ page, beside, complaints }) => {
    const own = await beside({ partner: false });
    await visit(page, `${own.url}/signup`);
    await postForm(page, { email: newAddress("html") });
    const form = page.getByRole("main");
    await expect(form.getByRole("alert")).toHaveText(SIGNUP_FAILED);
    await expect(form).not.toContainText(/partner/i);
    await expectFailedSignups(complaints, 1);
  });
});
