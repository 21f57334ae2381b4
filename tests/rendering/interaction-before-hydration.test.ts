// Interactions before the page's code loads survive hydration.
import type { Page } from "@playwright/test";

import { expectErrorsAbout } from "../support/browser-errors";
import { expect, test } from "../support/fixtures";
import {
  countElements,
  holdRequests,
  SECTIONS,
  SHELL,
  waitForEventHandlers,
  waitForHydration,
  waitForPaint,
  waitForParsed,
} from "../support/hydration";
import { expectScreen, follow, open } from "../support/screens";
import { expectFormValues, fillForm, receivedFrom } from "../support/signup";
import { openMarked } from "./before-hydration";

/** Changes the HTML of the sign-up page. */
async function changeSignup(page: Page, change: (html: string) => string): Promise<void> {
  await page.route("/signup", async (route) => {
    const response = await route.fetch({ maxRedirects: 0 });
    const isDocument = route.request().method() === "GET";
    await route.fulfill({ response, ...(isDocument && { body: change(await response.text()) }) });
  });
}

/** Removes method and action, as of a form that only its code sends. */
const withoutAction = (html: string): string => html.replaceAll(/ (?:method|action)="[^"]*"/g, "");

test("Form input and focus survive, and fetch sends the form", async ({ page, site }) => {
  const startShell = await holdRequests(page, SHELL);
  await page.goto("/signup", { waitUntil: "commit" });
  await expectScreen(page, "Create your account");
  const form = page.getByRole("main");
  const typed = await fillForm(form);
  await form.getByLabel("Age").focus();
  // The events by which a controlled field, too, learns of what was typed.
  const entered = await page.evaluateHandle(() => {
    const names: string[] = [];
    document.addEventListener("input", ({ target }) => names.push((target as HTMLInputElement).name));
    return names;
  });
  startShell();
  await waitForHydration(page);
  await expect.poll(() => entered.jsonValue()).toEqual(["email", "password", "age"]);
  await expectFormValues(form, typed);
  await expect(form.getByLabel("Age")).toBeFocused();
  const sending = page.waitForRequest("**/functions/v1/signup");
  await page.keyboard.press("Enter");
  expect((await sending).headers()["content-type"]).toBe("application/json");
  await expectScreen(page, "You’re signed up");
  expect(receivedFrom(site, typed.email)).toHaveLength(1);
});

test("A form submitted before hydration is sent by the browser", async ({ page, site }) => {
  await holdRequests(page, SHELL);
  await page.goto("/signup", { waitUntil: "commit" });
  const form = page.getByRole("main");
  const { email } = await fillForm(form);
  const sending = page.waitForRequest("**/functions/v1/signup");
  await form.getByRole("button", { name: "Continue" }).click();
  expect((await sending).headers()["content-type"]).toBe("application/x-www-form-urlencoded");
  await expectScreen(page, "Your account");
  expect(receivedFrom(site, email)).toHaveLength(1);
});

test("The last submit of a form without action is repeated when its late code has hydrated it", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  const startSections = await holdRequests(page, SECTIONS);
  await changeSignup(page, withoutAction);
  await openMarked(page, { path: "/signup", heading: "Create your account" });
  const form = page.getByRole("main");
  await expect(form.locator("form:not([action])")).toBeVisible();
  startShell();
  await waitForEventHandlers(page);
  await fillForm(form);
  await page.keyboard.press("Enter");
  const { email } = await fillForm(form);
  await page.keyboard.press("Enter");
  const sending = page.waitForRequest("**/functions/v1/signup");
  expect(page.url()).toMatch(/\/signup$/);
  startSections();
  expect((await sending).postDataJSON()).toMatchObject({ email });
  await expectScreen(page, "You’re signed up");
});

test("Nothing is sent by a form without action if its code fails to load", async ({ page, browserErrors }) => {
  const startShell = await holdRequests(page, SHELL);
  await page.route(/\/assets\/signup\/.*\.js$/, (route) => route.abort());
  await changeSignup(page, withoutAction);
  const { marked } = await openMarked(page, { path: "/signup", heading: "Create your account" });
  const failed = page.waitForEvent("console", (message) => message.text().startsWith("[shell] the section "));
  startShell();
  await failed;
  await fillForm(page.getByRole("main"));
  await page.keyboard.press("Enter");
  await waitForPaint(page);
  expect(new URL(page.url()).search).toBe("");
  expect((await countElements(page)).preserved).toBe(marked);
  expectErrorsAbout(browserErrors, /Failed to load resource.*\/assets\/signup\//);
});

test("A form that React does not know is sent by the browser once the page is hydrated", async ({
  page,
  browserErrors,
}) => {
  const startShell = await holdRequests(page, SHELL);
  const startSections = await holdRequests(page, SECTIONS);
  const unknown = '<form method="post"><input name="secret" aria-label="Secret"></form>';
  await changeSignup(page, (html) => html.replace('<div id="root">', `${unknown}<div id="root">`));
  await openMarked(page, { path: "/signup", heading: "Create your account" });
  startShell();
  await waitForEventHandlers(page);
  await page.getByLabel("Secret").fill("a");
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.method()));
  const posted = page.waitForResponse((response) => response.request().method() === "POST");
  await page.keyboard.press("Enter");
  await waitForPaint(page);
  expect(sent).not.toContain("POST");
  startSections();
  // Pages receive no posts.
  expect((await posted).status()).toBe(405);
  await expectScreen(page, "Method Not Allowed");
  await expect(page).toHaveURL("/signup");
  await page.goBack();
  await expectScreen(page, "Create your account");
  expectErrorsAbout(browserErrors, /405/);
});

test("Join buttons lead to the sign-up page, and links work", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  await page.goto("/about-escort-babylon", { waitUntil: "commit" });
  await page.getByRole("main").getByRole("button", { name: "Join Now" }).click();
  await expectScreen(page, "Create your account");
  await expect(page).toHaveURL(/\/signup\??$/);
  await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
  await expectScreen(page, "Terms of use");
  startShell();
  await waitForHydration(page);
  await page.goBack();
  await expectScreen(page, "Create your account");
});

test("A link in a page whose code is late is followed in the same document", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  const startSections = await holdRequests(page, SECTIONS);
  await openMarked(page, { path: "/terms", heading: "Terms of use" });
  startShell();
  await waitForEventHandlers(page);
  await page.getByRole("main").getByRole("link", { name: "privacy policy" }).first().click();
  await expect(page).toHaveURL("/privacy");
  startSections();
  await expectScreen(page, "Privacy policy");
  // A new document would have no such elements.
  expect((await countElements(page)).preserved).toBeGreaterThan(0);
});

test("Back before the shell starts leads to the page before", async ({ page }) => {
  await open(page, { name: "terms", path: "/terms", heading: "Terms of use" });
  await follow(page, "/privacy");
  await expectScreen(page, "Privacy policy");
  const startShell = await holdRequests(page, SHELL);
  await page.reload({ waitUntil: "commit" });
  await expectScreen(page, "Privacy policy");
  await page.goBack({ waitUntil: "commit" });
  await expect(page).toHaveURL("/terms");
  startShell();
  await expectScreen(page, "Terms of use");
  await waitForHydration(page);
});

test("An opened question and menu stay open and keep working", async ({ page }) => {
  await page.setViewportSize({ width: 700, height: 800 });
  const startShell = await holdRequests(page, SHELL);
  await page.goto("/", { waitUntil: "commit" });
  const question = page.getByRole("main").locator("details").first();
  await question.locator("summary").click();
  await page.getByRole("banner").locator("summary").click();
  const menu = page.getByRole("navigation", { name: "Main" });
  await expect(menu).toBeVisible();
  startShell();
  await waitForHydration(page);
  await expect(question).toHaveAttribute("open", "");
  await expect(menu).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(menu).toBeHidden();
});

test("The scroll position survives hydration and a reload", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  await page.goto("/state/California", { waitUntil: "commit" });
  await expectScreen(page, "Escorts in California");
  await waitForParsed(page);
  const scrollTop = (): Promise<number> => page.evaluate(() => Math.round(scrollY));
  await page.evaluate(() => {
    scrollTo({ top: 700, behavior: "instant" });
  });
  startShell();
  await waitForHydration(page);
  // Hydration adds the filter above; scroll anchoring keeps visible content in place.
  const heading = page.getByRole("heading", { level: 1 });
  const { y } = (await heading.boundingBox()) ?? { y: 0 };
  expect(y).toBeLessThan(-400);
  await page.waitForFunction(() => (history.state as { scrollTop?: unknown } | null)?.scrollTop === scrollY);
  const before = await scrollTop();
  await page.reload();
  await waitForHydration(page);
  await expect.poll(scrollTop).toBe(before);
});

test("A fragment target keeps scroll and focus if code is late", async ({ page }) => {
  const startSections = await holdRequests(page, SECTIONS);
  await page.goto("/#faq", { waitUntil: "commit" });
  await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
  await page.keyboard.press("Tab");
  const question = page.getByRole("main").locator("details summary").first();
  await expect(question).toBeFocused();
  startSections();
  await waitForHydration(page);
  // Fragment navigation runs a frame after the page renders.
  await waitForPaint(page);
  await expect(question).toBeFocused();
});
