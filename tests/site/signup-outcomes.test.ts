import { test, expect } from "../support/fixtures";
import {
  EMAIL_TAKEN,
  expectFailedSignups,
  expectFormValues,
  fillForm,
  newEmail,
  openDialog,
  receivedFrom,
  SIGNUP_FAILED,
  SIGNUP_PATH,
  signUp,
  openPage,
  recordSignupRequests,
} from "../support/signup";

test.describe("A sign-up in flight", () => {
  test("disables the button and is sent once", async ({ page, site }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    const { email } = await signUp(dialog, { email: newEmail("slow") });
    await expect(dialog.getByRole("button", { name: "Creating Account..." })).toBeDisabled();
    await expect(dialog.getByRole("button", { name: "Continue" })).toHaveCount(0);
    await dialog.getByLabel("Age").press("Enter");
    await expect.poll(() => receivedFrom(site, email)).toHaveLength(1);
    expect(site.backend.release()).toBe(1);
    await page.waitForURL("/success");
    await expect(dialog).toBeHidden();
    expect(receivedFrom(site, email)).toHaveLength(1);
  });

  test("is canceled by the X", async ({ page, site }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    const canceled = page.waitForEvent("requestfailed");
    const { email } = await signUp(dialog, { email: newEmail("slow") });
    await expect.poll(() => receivedFrom(site, email)).toHaveLength(1);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(dialog).toBeHidden();
    expect(new URL((await canceled).url()).pathname).toBe(SIGNUP_PATH);
    site.backend.release();
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(dialog.getByRole("button", { name: "Continue" })).toBeEnabled();
    await expect(dialog.getByLabel("Email")).toHaveValue("");
    expect(new URL(page.url()).pathname).toBe("/terms");
  });
});

test.describe("A successful sign-up redirects", () => {
  test("to /success by default", async ({ page }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    await signUp(dialog);
    await page.waitForURL("/success");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("heading", { level: 1, name: "You’re signed up" })).toBeFocused();
  });

  test("to redirectUrl on the same origin", async ({ page }) => {
    await openPage(page, "/about-escort-babylon");
    const dialog = await openDialog(page);
    await signUp(dialog, { email: newEmail("redirect") });
    await page.waitForURL("/terms");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Terms");
  });

  test("to redirectUrl on an allowed host, named beforehand", async ({ page }) => {
    await page.route("https://members.example.com/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Members</title>" }),
    );
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    const arriving = page.waitForRequest("https://members.example.com/**");
    await signUp(dialog, { email: newEmail("away") });
    await expect(dialog.getByRole("heading", { name: "You’re signed up" })).toBeVisible();
    await expect(dialog.getByText("Your account was created. We’re taking you to members.example.com.")).toBeFocused();
    // The input is removed, not hidden. Checked once, because the next page has no form.
    expect(await dialog.locator("form, input").count()).toBe(0);
    await expect(dialog.getByRole("link", { name: "Continue to members.example.com" })).toBeVisible();
    const request = await arriving;
    expect([request.method(), request.url()]).toEqual(["GET", "https://members.example.com/welcome"]);
    expect(request.headers().referer).toBeUndefined();
    await page.waitForURL("https://members.example.com/welcome");
  });

  test("to /success if redirectUrl is on another host", async ({ page }) => {
    await openPage(page, "/terms");
    await signUp(await openDialog(page), { email: newEmail("evil") });
    await page.waitForURL("/success");
  });

  test("to /success if the gateway returns a disallowed redirectUrl", async ({ page }) => {
    for (const redirectUrl of ["https://evil.example/", "//evil.example/", "javascript:alert(1)", 7]) {
      await page.route(`**${SIGNUP_PATH}`, (route) => route.fulfill({ json: { redirectUrl } }));
      await openPage(page, "/signup");
      await signUp(page.getByRole("main"));
      await page.waitForURL("/success");
    }
  });
});

test.describe("A rejected sign-up stays in the dialog", () => {
  const REJECTIONS = [
    { what: "the backend's message about the e-mail at its field", local: "reject", field: EMAIL_TAKEN },
    { what: "a default message if the backend has none", local: "wordless", message: SIGNUP_FAILED },
  ];
  for (const { what, local, field, message } of REJECTIONS) {
    test(`with ${what}, and keeps the input`, async ({ page, browserErrors }) => {
      await openPage(page, "/terms");
      const dialog = await openDialog(page);
      const typed = await signUp(dialog, { email: newEmail(local) });
      if (field !== undefined) {
        await expect(dialog.getByLabel("Email")).toHaveAccessibleDescription(field);
        await expect(dialog.getByLabel("Email")).toHaveAttribute("aria-invalid", "true");
        await expect(dialog.getByLabel("Email")).toBeFocused();
        await expect(dialog.getByRole("alert")).toHaveCount(0);
      } else {
        await expect(dialog.getByRole("alert")).toHaveText(message);
        await expect(dialog.getByRole("alert")).toBeFocused();
      }
      await expectFormValues(dialog, typed);
      await expect(dialog.getByRole("timer")).toHaveCount(0);
      await expectFailedSignups(browserErrors, 1);

      // The next attempt succeeds.
      await signUp(dialog, { ...typed, email: newEmail() });
      await page.waitForURL("/success");
    });
  }

  const RESPONSES = [
    {
      status: 429,
      json: { error: "Too many attempts. Please wait a minute." },
      message: "Too many attempts. Please wait a minute.",
    },
    { status: 429, json: { error: "Later.", unreachable: true }, message: "Later." },
    { status: 403, json: {}, message: SIGNUP_FAILED },
    { status: 500, json: { error: "  " }, message: SIGNUP_FAILED },
    { status: 503, json: { error: "Down for an hour." }, message: "Down for an hour." },
    { status: 502, json: null, message: SIGNUP_FAILED },
  ];
  test("with any status unless the response says unreachable", async ({ page, browserErrors }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    for (const { status, json, message } of RESPONSES) {
      await test.step(`${String(status)} ${JSON.stringify(json)}`, async () => {
        await page.route(`**${SIGNUP_PATH}`, (route) => route.fulfill({ status, json }), { times: 1 });
        const typed = await signUp(dialog);
        await expect(dialog.getByRole("alert")).toHaveText(message);
        await expectFormValues(dialog, typed);
        await expect(dialog.getByRole("timer")).toHaveCount(0);
        await expectFailedSignups(browserErrors, 1);
      });
    }
  });

  test("if the gateway rejects an age under 18, without the partner", async ({ page, site, browserErrors }) => {
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    await page.route(`**${SIGNUP_PATH}`, (route) =>
      route.continue({
        postData:
          route
            .request()
            .postData()
            ?.replace(/"age":\d+/, '"age":17') ?? "",
      }),
    );
    const { email } = await signUp(dialog);
    await expect(dialog.getByRole("alert")).toHaveText(/18/);
    await expect(dialog.getByRole("timer")).toHaveCount(0);
    expect(receivedFrom(site, email)).toEqual([]);
    await expectFailedSignups(browserErrors, 1);
  });
});

/** Returns a log line without its measurements, which may be any number. */
function withoutMeasurements(line: string): string {
  const event = JSON.parse(line) as Record<string, unknown>;
  for (const field of ["timestamp", "duration_ms", "bytes", "request_id"]) Reflect.deleteProperty(event, field);
  return JSON.stringify(event);
}

test.describe("Form input", () => {
  test("is not sent before 'Continue'", async ({ page }) => {
    const sent = recordSignupRequests(page);
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    await fillForm(dialog);
    await dialog.getByRole("button", { name: "Show password" }).click();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await openPage(page, "/signup");
    await fillForm(page.getByRole("main"));
    await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
    await page.waitForURL("/terms");
    expect(sent).toEqual([]);
  });

  test("never appears in URLs, console, cookies, web storage or log", async ({
    page,
    context,
    site,
    browserErrors,
  }) => {
    const seen: string[] = [];
    page.on("request", (request) => seen.push(request.url(), request.headers().referer ?? ""));
    page.on("framenavigated", (frame) => seen.push(frame.url()));
    page.on("console", (message) => seen.push(message.text()));
    const typed = { password: "Unmistakable-7f3a", age: "97" };
    const emails = [newEmail("reject"), newEmail("html"), newEmail()];
    await openPage(page, "/terms");
    const dialog = await openDialog(page);
    for (const email of emails) {
      await signUp(dialog, { email, ...typed });
      if (email.startsWith("html")) {
        await dialog.getByRole("button", { name: "Stop" }).click();
        await dialog.getByRole("button", { name: "Back to the form" }).click();
      }
    }
    await page.waitForURL("/success");
    await expectFailedSignups(browserErrors, 2);

    seen.push(
      JSON.stringify(await context.storageState({ indexedDB: true })),
      await page.evaluate(() =>
        JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), history.state]),
      ),
      ...site.gateway.log,
    );
    for (const secret of [...emails, ...emails.map(encodeURIComponent), typed.password]) {
      expect(
        seen.filter((text) => text.includes(secret)),
        secret,
      ).toEqual([]);
    }
    expect(seen.filter((text) => /\bage\b\W{0,3}97\b|=97\b/.test(text))).toEqual([]);
    expect(site.gateway.log.map(withoutMeasurements).filter((line) => /\b97\b/.test(line))).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    // The page that says so removes the flag of a sign-up.
    await expect.poll(() => page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  });
});
