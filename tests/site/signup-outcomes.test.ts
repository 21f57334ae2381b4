// What a sign-up leaves in the browser, and the form post of a browser that has JavaScript.
import { test, expect } from "../support/fixtures";
import { waitForHydration } from "../support/hydration";
import {
  expectFailedSignups,
  expectFormValues,
  fillForm,
  newEmail,
  openDialog,
  openPage,
  recordSignupRequests,
  signUp,
} from "../support/signup";

/** Returns a log line without its measurements, which may be any number. */
function withoutMeasurements(line: string): string {
  const event = JSON.parse(line) as Record<string, unknown>;
  for (const field of ["timestamp", "duration_ms", "bytes", "request_id"]) Reflect.deleteProperty(event, field);
  return JSON.stringify(event);
}

test("Form input appears in no URL, console, cookie, web storage or log", async ({
  page,
  context,
  site,
  browserErrors,
}) => {
  const seen: string[] = [];
  const sent = recordSignupRequests(page);
  page.on("request", (request) => seen.push(request.url(), request.headers().referer ?? ""));
  page.on("framenavigated", (frame) => seen.push(frame.url()));
  page.on("console", (message) => seen.push(message.text()));
  const typed = { password: "Unmistakable-7f3a", age: "97" };
  const emails = [newEmail("reject"), newEmail("html"), newEmail()];
  await openPage(page, "/terms");
  await fillForm(await openDialog(page), { email: emails[0] ?? "", ...typed });
  await page.getByRole("button", { name: "Show password" }).click();
  await page.keyboard.press("Escape");
  const dialog = await openDialog(page);
  expect(sent, "nothing is sent before 'Continue'").toEqual([]);
  for (const email of emails) {
    await signUp(dialog, { email, ...typed });
    if (email.startsWith("html")) {
      await dialog.getByRole("button", { name: "Stop" }).click();
      await dialog.getByRole("button", { name: "Back to the form" }).click();
    }
  }
  await page.waitForURL("/success");
  await expectFailedSignups(browserErrors, 2);
  expect(seen).toContain("Sign-up is unavailable: HTTP 502.");

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
  // The page that says so removes the flag of a sign-up. What stays has no values.
  await expect
    .poll(() => page.evaluate(() => [localStorage.length, Object.keys(sessionStorage)]))
    .toEqual([0, ["sent"]]);
});

test("The error of a form post is hydrated, and shown once", async ({ page, browserErrors }) => {
  const form = page.getByRole("main");
  /** Posts the form like a browser without JavaScript. */
  const post = async (local: string): Promise<string> => {
    const { email } = await fillForm(form, { email: newEmail(local) });
    await page.locator("main form").evaluate((element) => {
      HTMLFormElement.prototype.submit.call(element);
    });
    return email;
  };
  await openPage(page, "/signup");
  const email = await post("reject");
  await expect(form.getByLabel("Email")).toBeFocused();
  await expectFormValues(form, { email, password: "", age: "" });
  await expectFailedSignups(browserErrors, 1);

  await test.step("A reload shows the page without posting again", async () => {
    await page.reload();
    await expect(form.getByLabel("Email")).toBeVisible();
    await expect(form.locator("[aria-invalid]")).toHaveCount(0);
    await expectFormValues(form, { email: "", password: "", age: "" });
  });

  await test.step("After a sign-up, back navigation shows an empty form", async () => {
    await post("reject");
    await expect(form.getByLabel("Email")).toBeFocused();
    await expectFailedSignups(browserErrors, 1);
    await waitForHydration(page);
    await signUp(form);
    await page.waitForURL("/success");
    await expect(page.getByRole("heading", { level: 1, name: "You’re signed up" })).toBeFocused();
    await page.goBack();
    await expect(form.getByRole("heading", { level: 1, name: "Create your account" })).toBeVisible();
    await expectFormValues(form, { email: "", password: "", age: "" });
    await expect(form.locator("[aria-invalid]")).toHaveCount(0);
  });

  await test.step("The CSP permits a redirect to an allowed host", async () => {
    const arriving = page.waitForRequest("https://members.example.com/**");
    await post("away");
    const request = await arriving;
    expect([request.method(), request.url()]).toEqual(["GET", "https://members.example.com/welcome"]);
    expect(request.redirectedFrom()?.method()).toBe("POST");
    expect(browserErrors.cspViolations).toEqual([]);
  });
});
