import type { Locator, Page } from "@playwright/test";

import { expectToday } from "../support/dates";
import { expect, test } from "../support/fixtures";
import { open, SCREENS } from "../support/screens";

const PRIVACY = { name: "privacy", path: "/privacy", heading: "Privacy policy" };

// What the numbered sections are about, in order.
const SUBJECTS = [
  "introduction",
  "information we collect",
  "how we use information",
  "how we share information",
  "security",
  "retention",
  "your rights",
  "cookies",
  "third parties",
  "international users",
  "children",
  "changes to this policy",
  "contact",
];

function sectionOf(page: Page, heading: string): Locator {
  return page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: heading }) });
}

test.describe("the page", () => {
  test.beforeEach(async ({ page }) => {
    await open(page, PRIVACY);
  });

  test("there are 13 numbered sections", async ({ page }) => {
    await expect(page.getByRole("main").getByRole("heading", { level: 2, name: /^\d+\./ })).toHaveText(
      SUBJECTS.map((subject, index) => new RegExp(`^${String(index + 1)}\\. ${subject}`, "i")),
    );
  });

  test("there is a privacy commitment box", async ({ page }) => {
    const box = page.getByRole("region", { name: "Our privacy commitment" });
    await expect(box.getByRole("listitem").first()).toHaveText("Client information is never public.");
  });

  test("'Last updated' shows today's date (UTC), and beside it 'Text in force since {date}'", async ({ page }) => {
    const updated = page.getByText(/^Last updated/);
    await expectToday(updated, "Last updated");
    await expect(updated.locator("..")).toHaveText(/^Last updated .+Text in force since [A-Z][a-z]+ \d{1,2}, \d{4}$/);
  });

  test("it is only for users 18 or older", async ({ page }) => {
    await expect(sectionOf(page, "Introduction")).toContainText("only for people aged 18 or older");
    await expect(sectionOf(page, "Children")).toContainText("only for people aged 18 or older");
  });

  test("accounts of under-18s are ended and their data deleted", async ({ page }) => {
    await expect(sectionOf(page, "Children")).toContainText("under 18, the account is ended and the data deleted");
  });

  test("data is processed in the United States, as configured", async ({ page }) => {
    await expect(sectionOf(page, "International users")).toContainText("Data is processed in the United States");
  });

  test("client information is never public", async ({ page }) => {
    await expect(sectionOf(page, "How we share information")).toContainText("Client information is never public.");
  });

  test("nothing is said of verified members, nor of extra documents asked of advertisers", async ({ page }) => {
    await expect(page.getByRole("main")).not.toContainText(/verified members|documents? .*advertisers?/i);
  });

  test("retention, legal entity and contact address come from the configuration", async ({ page }) => {
    await expect(sectionOf(page, "Retention")).toContainText("request logs are kept for at most 30 days");
    await expect(sectionOf(page, "Introduction")).toContainText("the operator of this site (placeholder)");
    await expect(sectionOf(page, "13. Contact").getByRole("link", { name: "contact@example.com" })).toBeVisible();
  });

  test("it says that network addresses are not written down, as configured", async ({ page }) => {
    await expect(sectionOf(page, "Information we collect")).toContainText(
      "The gateway does not write that address down",
    );
  });

  test("it names who receives sign-ups, and the partner", async ({ page, site }) => {
    const recipients = page.getByRole("main").getByRole("definition");
    await expect(recipients).toHaveText([
      "the operator of this site (placeholder)",
      new URL(site.backend.url).hostname,
      `Example Partner (${new URL(site.backend.url).hostname})`,
    ]);
  });

  test("the cookies section names what is really set", async ({ page }) => {
    const cookies = sectionOf(page, "Cookies");
    await expect(cookies).toContainText(/A rollout cookie, at times\. While a new release .* ends 7 days after/);
    await expect(cookies).toContainText(
      /A preview cookie, for invited people\. Only somebody who opens a preview link/,
    );
    await expect(cookies).toContainText(/The ad list of a city page\. .* kept in session storage/);
    await expect(cookies).toContainText(/How far a page was scrolled\. The tab’s own history remembers it/);
    await expect(cookies.getByRole("listitem")).toHaveCount(4);
  });

  test("it names what is sent when a part of the site fails, and what is not kept of it", async ({ page }) => {
    const collected = sectionOf(page, "Information we collect");
    await expect(collected).toContainText(
      /which release of that part failed, whether it failed while loading or while being drawn, and the class of the error/,
    );
    await expect(collected).toContainText(/counts in memory only\. .* keyed hash; the address itself is not kept/);
  });
});

test("what it says of cookies and storage matches what the software does, on every screen", async ({
  page,
  context,
}) => {
  for (const screen of SCREENS) {
    await open(page, screen);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
  }
  expect(await context.cookies()).toEqual([]);
  const kept = await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    // Besides what the router needs to tell its entries apart.
    history: Object.keys((history.state as object | null) ?? {}).filter(
      (name) => !["usr", "key", "idx"].includes(name),
    ),
  }));
  const { history: remembered, ...stored } = kept;
  expect(stored).toEqual({ local: [], session: ["ads:/city/Texas/Houston"], databases: [], caches: [], workers: 0 });
  expect(["", "scrollTop"]).toContain(remembered.join());
});

test("nothing is loaded from other companies, on any screen", async ({ page, site }) => {
  const elsewhere: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== site.url) elsewhere.push(request.url());
  });
  for (const screen of SCREENS) await open(page, screen);
  expect(elsewhere).toEqual([]);
});
