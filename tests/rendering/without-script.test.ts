import type { Locator, Page } from "@playwright/test";

import { expect, test } from "../support/beside";
import { expectRefused } from "../support/failures";
import { expectNoSidewaysScroll } from "../support/layout";
import { ARTICLES, expectScreen, MISSING, open, SCREENS } from "../support/screens";
import {
  expectFailedSignups,
  expectTyped,
  fillForm,
  newAddress,
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

for (const screen of SCREENS) {
  test(`${screen.name} reads without script, at 320 and 1280 px`, async ({ page }) => {
    await open(page, screen);
    await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
    for (const width of [320, 1280]) {
      await page.setViewportSize({ width, height: 720 });
      await expectNoSidewaysScroll(page);
    }
  });
}

test("so do the screens for what does not exist", async ({ page, complaints }) => {
  for (const screen of MISSING) {
    await open(page, screen);
    await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
  }
  await expectRefused(complaints, 404);
});

test.describe("links", () => {
  test("lead from state to city to ad, and back to the city", async ({ page }) => {
    await page.goto("/");
    await page.getByRole("main").getByRole("link", { name: "Texas" }).click();
    await expectScreen(page, "Escorts in Texas");
    await page.getByRole("main").getByRole("link", { name: "Houston" }).first().click();
    await expectScreen(page, "Houston, Texas");
    await page.getByRole("main").getByRole("article").getByRole("heading").getByRole("link").first().click();
    await expectScreen(page, "Coffee and an unhurried conversation");
    await page.getByRole("link", { name: "Back to Houston ads" }).click();
    await expectScreen(page, "Houston, Texas");
  });

  test("on every kind of page lead to a page or a place that is there", async ({ page }) => {
    test.setTimeout(120_000);
    const targets = new Set<string>();
    for (const path of [
      ...SCREENS.map((screen) => screen.path),
      ...ARTICLES.map((article) => `/about-escort-babylon/${article}`),
    ]) {
      await page.goto(path);
      const links = await page
        .locator("a[href^='/'], a[href^='#']")
        .evaluateAll((anchors) => anchors.map((anchor) => (anchor as HTMLAnchorElement).href));
      expect(links.length, path).toBeGreaterThan(4);
      for (const href of links) {
        const { hash, pathname } = new URL(href);
        if (hash && pathname === new URL(page.url()).pathname)
          expect(await page.locator(`[id="${decodeURIComponent(hash.slice(1))}"]`).count(), href).toBe(1);
        else targets.add(pathname);
      }
    }
    // Of what there is a great many of, by far not all.
    const many = /^\/(state|city)\//;
    const few = [...targets].filter((path) => !many.test(path));
    const some = [...targets].filter((path) => many.test(path)).filter((_, index) => index % 20 === 0);
    expect(some.length).toBeGreaterThan(15);
    for (const path of [...few, ...some]) expect((await page.request.get(path)).status(), path).toBe(200);
  });
});

test("the menu and the questions open", async ({ page }) => {
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

test("the filter of a state's cities is not there, and all its cities are", async ({ page }) => {
  await page.goto("/state/California");
  await expect(page.getByRole("searchbox")).toHaveCount(0);
  await expect(page.getByRole("search")).toHaveCount(0);
  await expect(page.getByRole("main").getByRole("textbox")).toHaveCount(0);
  await expect(page.getByRole("main").locator("a[href^='/city/']")).toHaveCount(371);
});

test.describe("what opens the dialog elsewhere leads to the sign-up page", () => {
  for (const [label, path] of [
    ["Join Free", "/"],
    ["Join Now", "/about-escort-babylon"],
  ] as const) {
    test(`'${label}' of ${path}`, async ({ page }) => {
      await page.goto(path);
      await page.getByRole("main").getByRole("button", { name: label }).click();
      await expectScreen(page, "Create your account");
    });
  }

  for (const [label, path] of [
    ["Reply to Ad 💬", HOUSTON],
    ["Next Page →", HOUSTON],
    ["Pics 📸", AD],
    ["Reply", AD],
  ] as const) {
    test(`'${label}' of a sample, and the page says first what a sample is`, async ({ page }) => {
      await page.goto(path);
      await page.getByRole("main").getByRole("button", { name: label, exact: true }).first().click();
      await expectScreen(page, "Create your account");
      const shown = await formOf(page).locator("h1, p, label").allInnerTexts();
      expect(shown.slice(0, 2)).toEqual(["Create your account", `Coming from an ad? ${SAMPLE_SENTENCE}`]);
      await expect(formOf(page).getByText(SAMPLE_SENTENCE)).toBeInViewport();
    });
  }
});

test.describe("the sign-up page", () => {
  test("posts what was typed, and leads on", async ({ page, site }) => {
    await page.goto("/terms");
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page).toHaveURL(/\/signup\??$/);
    const posting = page.waitForResponse("**/functions/v1/signup");
    const { email } = await signUp(formOf(page));
    const answer = await posting;
    expect(answer.status()).toBe(303);
    expect(answer.headers()["cache-control"]).toContain("no-store");
    await expectScreen(page, "Thank you for signing up");
    expect(receivedFrom(site, email)).toEqual([
      { authorized: true, body: { email, password: PASSWORD, age: 34, affiliate_subid: "colonnade" } },
    ]);
  });

  test("comes back from a refusal with its words and the e-mail, never the password", async ({ page, complaints }) => {
    await page.goto("/signup");
    const posting = page.waitForResponse("**/functions/v1/signup");
    const { email } = await signUp(formOf(page), { email: newAddress("reject") });
    const answer = await posting;
    expect(answer.status()).toBe(409);
    expect(answer.headers()["cache-control"]).toContain("no-store");
    // A word of the password, which stands there however its quotes and signs are written.
    expect(PASSWORD).toContain("horse");
    expect(await answer.text()).not.toContain("horse");
    await expect(page.getByRole("alert")).toHaveText("This e-mail address is already registered.");
    await expectTyped(formOf(page), { email, password: "", age: "" });
    await expectFailedSignups(complaints, 1);
    // The page goes on from there.
    await signUp(formOf(page));
    await expectScreen(page, "Thank you for signing up");
  });

  test("lets nobody send an age under 18", async ({ page, site }) => {
    await page.goto("/signup");
    const { email } = await signUp(formOf(page), { age: "17" });
    expect(await page.getByLabel("Age").evaluate((field: HTMLInputElement) => field.validity.patternMismatch)).toBe(
      true,
    );
    await expect(page).toHaveURL("/signup");
    expect(receivedFrom(site, email)).toEqual([]);
  });

  test("ends sign-up kindly where one was posted all the same", async ({ page, site, complaints }) => {
    await page.goto("/signup");
    const { email } = await fillForm(formOf(page), { age: "17" });
    await page.locator("main form").evaluate((form) => {
      HTMLFormElement.prototype.submit.call(form);
    });
    await expectScreen(page, "Sign-up ends here");
    await expect(formOf(page)).toContainText("Thank you for telling us your age.");
    await expect(formOf(page)).not.toContainText(/Example Partner|These ads are samples/);
    await expect(formOf(page).getByRole("textbox")).toHaveCount(0);
    expect(receivedFrom(site, email)).toEqual([]);
    await expectFailedSignups(complaints, 1);
  });

  test("says that sign-up is out of reach, with the labelled link to the partner, and leads nowhere by itself", async ({
    page,
    site,
    complaints,
  }) => {
    await page.goto("/signup");
    const posting = page.waitForResponse("**/functions/v1/signup");
    const { email } = await signUp(formOf(page), { email: newAddress("html") });
    const answer = await posting;
    expect(answer.headers().refresh).toBeUndefined();
    expect(await answer.text()).not.toMatch(/http-equiv/i);
    await expect(page.getByRole("alert")).toContainText(SIGNUP_FAILED);
    const link = page.getByRole("alert").getByRole("link");
    await expect(link).toHaveText("Example Partner (127.0.0.1) Affiliate link");
    await expect(link).toHaveAttribute("rel", "sponsored nofollow noopener");
    await expect(link).toHaveAttribute("href", `${site.backend.url}/partner?subid=colonnade`);
    await expect(formOf(page).getByRole("timer")).toHaveCount(0);
    await expectTyped(formOf(page), { email, password: "", age: "" });
    await expectFailedSignups(complaints, 1);
  });

  test("names no partner where there is none", async ({ page, beside, complaints }) => {
    const own = await beside({ partner: false });
    await page.goto(`${own.url}/signup`);
    await expect(formOf(page)).not.toContainText(/partner/i);
    await signUp(formOf(page), { email: newAddress("html") });
    await expect(page.getByRole("alert")).toHaveText(SIGNUP_FAILED);
    await expect(formOf(page)).not.toContainText(/partner/i);
    await expectFailedSignups(complaints, 1);
  });
});
