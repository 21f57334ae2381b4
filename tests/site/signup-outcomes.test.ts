import { test, expect } from "../support/fixtures";
import {
  expectFailedSignups,
  expectTyped,
  fillForm,
  newAddress,
  openDialog,
  receivedFrom,
  SIGNUP_FAILED,
  SIGNUP_PATH,
  signUp,
  visit,
  watchSignups,
} from "../support/signup";

test.describe("while a sign-up is on its way", () => {
  test("the button is disabled and reads 'Creating Account...', and nothing is sent twice", async ({ page, site }) => {
    await visit(page, "/terms");
    const dialog = await openDialog(page);
    const { email } = await signUp(dialog, { email: newAddress("slow") });
    await expect(dialog.getByRole("button", { name: "Creating Account..." })).toBeDisabled();
    await expect(dialog.getByRole("button", { name: "Continue" })).toHaveCount(0);
    await dialog.getByLabel("Age").press("Enter");
    await expect.poll(() => receivedFrom(site, email)).toHaveLength(1);
    expect(site.backend.release()).toBe(1);
    await page.waitForURL("/success");
    await expect(dialog).toBeHidden();
    expect(receivedFrom(site, email)).toHaveLength(1);
  });

  test("the X cancels it", async ({ page, site }) => {
    await visit(page, "/terms");
    const dialog = await openDialog(page);
    const cancelled = page.waitForEvent("requestfailed");
    const { email } = await signUp(dialog, { email: newAddress("slow") });
    await expect.poll(() => receivedFrom(site, email)).toHaveLength(1);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect(dialog).toBeHidden();
    expect(new URL((await cancelled).url()).pathname).toBe(SIGNUP_PATH);
    site.backend.release();
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(dialog.getByRole("button", { name: "Continue" })).toBeEnabled();
    await expect(dialog.getByLabel("E-mail")).toHaveValue("");
    expect(new URL(page.url()).pathname).toBe("/terms");
  });
});

test.describe("a sign-up that succeeds leads", () => {
  test("to /success, where the answer names no place", async ({ page }) => {
    await visit(page, "/terms");
    const dialog = await openDialog(page);
    await signUp(dialog);
    await page.waitForURL("/success");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("heading", { level: 1, name: "Thank you for signing up" })).toBeFocused();
  });

  test("to redirectUrl on this origin", async ({ page }) => {
    await visit(page, "/about-escort-babylon");
    const dialog = await openDialog(page);
    await signUp(dialog, { email: newAddress("redirect") });
    await page.waitForURL("/terms");
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("heading", { level: 1 })).toContainText("Terms");
  });

  test("to redirectUrl on a configured host, which the dialog names first", async ({ page }) => {
    await page.route("https://members.example.com/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Members</title>" }),
    );
    await visit(page, "/terms");
    const dialog = await openDialog(page);
    const arriving = page.waitForRequest("https://members.example.com/**");
    await signUp(dialog, { email: newAddress("away") });
    await expect(
      dialog.getByText("Your account was created. You are being taken to members.example.com."),
    ).toBeFocused();
    // Not even hidden: what was typed has done its work. Looked at once, since the next page has no form anyway.
    expect(await dialog.locator("form, input").count()).toBe(0);
    await expect(dialog.getByRole("link", { name: "Continue to members.example.com" })).toBeVisible();
    const request = await arriving;
    expect([request.method(), request.url()]).toEqual(["GET", "https://members.example.com/welcome"]);
    expect(request.headers().referer).toBeUndefined();
    await page.waitForURL("https://members.example.com/welcome");
  });

  test("to /success, where redirectUrl is on a host that is not configured", async ({ page }) => {
    await visit(page, "/terms");
    await signUp(await openDialog(page), { email: newAddress("evil") });
    await page.waitForURL("/success");
  });

  test("to /success, where a gateway of another opinion passed such a redirectUrl on", async ({ page }) => {
    for (const redirectUrl of ["https://evil.example/", "//evil.example/", "javascript:alert(1)", 7]) {
      await page.route(`**${SIGNUP_PATH}`, (route) => route.fulfill({ json: { redirectUrl } }));
      await visit(page, "/signup");
      await signUp(page.getByRole("main"));
      await page.waitForURL("/success");
    }
  });
});

test.describe("a sign-up that is refused stays in the dialog", () => {
  const REFUSED = [
    { what: "the backend's words", local: "reject", words: "This e-mail address is already registered." },
    { what: "words of its own where the backend has none", local: "wordless", words: SIGNUP_FAILED },
  ];
  for (const { what, local, words } of REFUSED) {
    test(`with ${what}, and keeps what was typed`, async ({ page, complaints }) => {
      await visit(page, "/terms");
      const dialog = await openDialog(page);
      const typed = await signUp(dialog, { email: newAddress(local) });
      await expect(dialog.getByRole("alert")).toHaveText(words);
      await expect(dialog.getByRole("alert")).toBeFocused();
      await expectTyped(dialog, typed);
      await expect(dialog.getByRole("timer")).toHaveCount(0);
      await expectFailedSignups(complaints, 1);

      // And the next attempt goes through.
      await signUp(dialog, { ...typed, email: newAddress() });
      await page.waitForURL("/success");
    });
  }

  const ANSWERS = [
    {
      status: 429,
      json: { error: "Too many attempts. Please wait a minute." },
      words: "Too many attempts. Please wait a minute.",
    },
    { status: 429, json: { error: "Later.", unreachable: true }, words: "Later." },
    { status: 403, json: {}, words: SIGNUP_FAILED },
    { status: 500, json: { error: "  " }, words: SIGNUP_FAILED },
    { status: 503, json: { error: "Down for an hour." }, words: "Down for an hour." },
    { status: 502, json: null, words: SIGNUP_FAILED },
  ];
  test("whatever the status, unless the answer says that sign-up is out of reach", async ({ page, complaints }) => {
    await visit(page, "/terms");
    const dialog = await openDialog(page);
    for (const { status, json, words } of ANSWERS) {
      await test.step(`${String(status)} ${JSON.stringify(json)}`, async () => {
        await page.route(`**${SIGNUP_PATH}`, (route) => route.fulfill({ status, json }), { times: 1 });
        const typed = await signUp(dialog);
        await expect(dialog.getByRole("alert")).toHaveText(words);
        await expectTyped(dialog, typed);
        await expect(dialog.getByRole("timer")).toHaveCount(0);
        await expectFailedSignups(complaints, 1);
      });
    }
  });

  test("also where the gateway alone refuses an age under 18: that never leads to the partner", async ({
    page,
    site,
    complaints,
  }) => {
    await visit(page, "/terms");
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
    await expectFailedSignups(complaints, 1);
  });
});

/** What a line of the log says, less its measures, which may be any number. */
function wordsOfLog(line: string): string {
  const event = JSON.parse(line) as Record<string, unknown>;
  for (const measure of ["timestamp", "duration_ms", "bytes", "request_id"]) Reflect.deleteProperty(event, measure);
  return JSON.stringify(event);
}

test.describe("what a visitor types", () => {
  test("is sent nowhere before 'Continue'", async ({ page }) => {
    const sent = watchSignups(page);
    await visit(page, "/terms");
    const dialog = await openDialog(page);
    await fillForm(dialog);
    await dialog.getByRole("button", { name: "Show password" }).click();
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
    await visit(page, "/signup");
    await fillForm(page.getByRole("main"));
    await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
    await page.waitForURL("/terms");
    expect(sent).toEqual([]);
  });

  test("never stands in an address, the console, a cookie, web storage or the log", async ({
    page,
    context,
    site,
    complaints,
  }) => {
    const seen: string[] = [];
    page.on("request", (request) => seen.push(request.url(), request.headers().referer ?? ""));
    page.on("framenavigated", (frame) => seen.push(frame.url()));
    page.on("console", (message) => seen.push(message.text()));
    const typed = { password: "Unmistakable-7f3a", age: "97" };
    const emails = [newAddress("reject"), newAddress("html"), newAddress()];
    await visit(page, "/terms");
    const dialog = await openDialog(page);
    for (const email of emails) {
      await signUp(dialog, { email, ...typed });
      if (email.startsWith("html")) {
        await dialog.getByRole("button", { name: "Stop" }).click();
        await dialog.getByRole("button", { name: "Back to the form" }).click();
      }
    }
    await page.waitForURL("/success");
    await expectFailedSignups(complaints, 2);

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
    expect(site.gateway.log.map(wordsOfLog).filter((words) => /\b97\b/.test(words))).toEqual([]);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate(() => localStorage.length + sessionStorage.length)).toBe(0);
  });
});
