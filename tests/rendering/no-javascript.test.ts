import type { Locator, Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import {
  EMAIL_TAKEN,
  expectFailedSignups,
  expectFormValues,
  newEmail,
  PASSWORD,
  receivedFrom,
  SAMPLE_SENTENCE,
  SIGNUP_FAILED,
  signUp,
} from "../support/signup";

const HOUSTON = "/city/Texas/Houston";
const AD = `${HOUSTON}/ad/4251`;

test.use({ javaScriptEnabled: false });

function formOf(page: Page): Locator {
  return page.getByRole("main");
}

test("Links lead from state to city to ad, and back", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("main").getByRole("link", { name: "Texas", exact: true }).click();
  await expectScreen(page, "Escorts in Texas");
  await page.getByRole("main").getByRole("link", { name: "Houston" }).first().click();
  await expectScreen(page, "Houston, Texas");
  await page.getByRole("main").getByRole("article").getByRole("heading").getByRole("link").first().click();
  await expectScreen(page, "Coffee and an unhurried conversation");
  await page.getByRole("link", { name: "Back to Houston ads" }).click();
  await expectScreen(page, "Houston, Texas");
});

test("Menu and questions open", async ({ page }) => {
  await page.setViewportSize({ width: 700, height: 800 });
  await page.goto("/");
  await page.getByRole("banner").locator("summary").click();
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText(["Home", "About"]);
  const questions = page.getByRole("region", { name: "Questions and answers" }).locator("details");
  await expect(questions).toHaveCount(10);
  for (const question of await questions.all()) {
    const answer = question.getByRole("paragraph").first();
    await expect(answer).toBeHidden();
    await question.locator("summary").click();
    await expect(answer).toBeVisible();
  }
});

test("A state lists all its cities and no filter", async ({ page }) => {
  await page.goto("/state/California");
  await expect(page.getByRole("searchbox")).toHaveCount(0);
  await expect(page.getByRole("search")).toHaveCount(0);
  await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
  await expect(page.getByRole("main").locator("[aria-label^='Cities in'] a[href^='/city/']")).toHaveCount(371);
});

test("Buttons that open the dialog lead to the sign-up page", async ({ page }) => {
  // Component tests check the form of each other button.
  for (const [label, path, isSample] of [
    ["Join Free", "/", false],
    ["Next Page →", HOUSTON, true],
    ["Reply", AD, true],
  ] as const) {
    await page.goto(path);
    await page.getByRole("main").getByRole("button", { name: label, exact: true }).first().click();
    await expectScreen(page, "Create your account");
    if (!isSample) continue;
    const shown = formOf(page).locator("h1, p, label");
    await expect(shown.nth(1)).toHaveText(`Coming from an ad? ${SAMPLE_SENTENCE}`);
    await expect(formOf(page).getByText(SAMPLE_SENTENCE)).toBeInViewport();
  }
});

test("The receipt says what the site can keep, and nothing of this tab", async ({ page }) => {
  await page.goto("/privacy");
  await page.getByRole("main").getByRole("link", { name: "What this site knows about you right now" }).click();
  await expectScreen(page, "What this site knows about you right now");
  const main = page.getByRole("main");
  await expect(main).toContainText("Without JavaScript, this page can’t look into the tab.", { useInnerText: true });
  await expect(main).toContainText("Which sample ads were drawn for a city is kept in session storage", {
    useInnerText: true,
  });
  await expect(main.getByRole("link", { name: "Leave this site" })).toHaveAttribute("href", "https://www.weather.gov/");
  await expect(main).not.toContainText(/This tab keeps|Nothing yet|Clear it/, { useInnerText: true });
  await expect(main.getByRole("button")).toHaveCount(0);
});

test.describe("the sign-up page", () => {
  test("speaks of a link to the partner, and of no countdown", async ({ page }) => {
    await page.goto("/signup");
    const text = await formOf(page).innerText();
    expect(text).toContain("We’ll show you an affiliate link to Example Partner (127.0.0.1).");
    expect(text).not.toMatch(/countdown|take you|stop/i);
  });

  test("posts the form and redirects", async ({ page, site }) => {
    await page.goto("/terms");
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page).toHaveURL(/\/signup\??$/);
    const posting = page.waitForResponse("**/functions/v1/signup");
    const { email } = await signUp(formOf(page));
    const answer = await posting;
    expect(answer.status()).toBe(303);
    expect(answer.headers()["cache-control"]).toContain("no-store");
    await expectScreen(page, "Your account");
    expect(receivedFrom(site, email)).toEqual([
      { authorized: true, body: { email, password: PASSWORD, age: 34, affiliate_subid: "colonnade" } },
    ]);
  });

  test("shows a rejection with message and e-mail, no password", async ({ page, browserErrors }) => {
    await page.goto("/signup");
    const posting = page.waitForResponse("**/functions/v1/signup");
    const { email } = await signUp(formOf(page), { email: newEmail("reject") });
    const answer = await posting;
    expect(answer.status()).toBe(409);
    expect(answer.headers()["cache-control"]).toContain("no-store");
    // One word of the password, because escaping would change the rest.
    expect(PASSWORD).toContain("horse");
    expect(await answer.text()).not.toContain("horse");
    await expect(page.getByLabel("Email")).toHaveAccessibleDescription(EMAIL_TAKEN);
    await expect(page.getByLabel("Email")).toHaveAttribute("aria-invalid", "true");
    await expectFormValues(formOf(page), { email, password: "", age: "" });
    await expectFailedSignups(browserErrors, 1);
    // The form works again.
    await signUp(formOf(page));
    await expectScreen(page, "Your account");
  });

  test("shows the partner link when the backend fails", async ({ page, site, browserErrors }) => {
    await page.goto("/signup");
    const posting = page.waitForResponse("**/functions/v1/signup");
    const { email } = await signUp(formOf(page), { email: newEmail("html") });
    const answer = await posting;
    expect(answer.headers().refresh).toBeUndefined();
    expect(await answer.text()).not.toMatch(/http-equiv/i);
    await expect(page.getByRole("alert")).toContainText(SIGNUP_FAILED);
    const link = page.getByRole("alert").getByRole("link");
    await expect(link).toHaveText("Example Partner (127.0.0.1) Affiliate link");
    await expect(link).toHaveAttribute("rel", "sponsored nofollow noopener");
    await expect(link).toHaveAttribute("href", `${site.backend.url}/partner?subid=colonnade`);
    await expect(formOf(page).getByRole("timer")).toHaveCount(0);
    await expectFormValues(formOf(page), { email, password: "", age: "" });
    await expectFailedSignups(browserErrors, 1);
  });
});
