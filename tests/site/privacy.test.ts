import type { Locator, Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { expectToday } from "../support/dates";
import { expect, test } from "../support/fixtures";
import { open } from "../support/screens";

const PRIVACY = { name: "privacy", path: "/privacy", heading: "Privacy policy" };

// Subjects of the numbered sections.
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

test("The privacy policy has its content", async ({ page, site }) => {
  await open(page, PRIVACY);
  await runChecks([
    [
      "13 numbered sections",
      async () => {
        await expect(page.getByRole("main").getByRole("heading", { level: 2, name: /^\d+\./ })).toHaveText(
          SUBJECTS.map((subject, index) => new RegExp(`^${String(index + 1)}\\. ${subject}`, "i")),
        );
      },
    ],
    [
      "a privacy commitment box",
      async () => {
        const box = page.getByRole("region", { name: "Our privacy commitment" });
        await expect(box.getByRole("listitem").first()).toHaveText("Client information is never public.");
      },
    ],
    [
      "'Last updated' is today (UTC), next to 'Text in force since'",
      async () => {
        const updated = page.getByText(/^Last updated/);
        await expectToday(updated, "Last updated");
        await expect(updated.locator("..")).toHaveText(
          /^Last updated .+Text in force since [A-Z][a-z]+ \d{1,2}, \d{4}$/,
        );
      },
    ],
    [
      "only for users 18 or older",
      async () => {
        await expect(sectionOf(page, "Introduction")).toContainText("only for people aged 18 or older");
        await expect(sectionOf(page, "Children")).toContainText("only for people aged 18 or older");
      },
    ],
    [
      "accounts of under-18s end and their data is deleted",
      async () => {
        await expect(sectionOf(page, "Children")).toContainText("under 18, the account is ended and the data deleted");
      },
    ],
    [
      "data is processed in the United States, as configured",
      async () => {
        await expect(sectionOf(page, "International users")).toContainText("Data is processed in the United States");
      },
    ],
    [
      "client information is never public",
      async () => {
        await expect(sectionOf(page, "How we share information")).toContainText("Client information is never public.");
      },
    ],
    [
      "no verified members or advertiser documents",
      async () => {
        await expect(page.getByRole("main")).not.toContainText(/verified members|documents? .*advertisers?/i);
      },
    ],
    [
      "configured retention, legal entity and contact address",
      async () => {
        await expect(sectionOf(page, "Retention")).toContainText("request logs are kept for at most 30 days");
        await expect(sectionOf(page, "Introduction")).toContainText("the operator of this site (placeholder)");
        await expect(sectionOf(page, "13. Contact").getByRole("link", { name: "contact@example.com" })).toBeVisible();
      },
    ],
    [
      "IP addresses are not logged, as configured",
      async () => {
        await expect(sectionOf(page, "Information we collect")).toContainText(
          "The gateway doesn’t write that address down",
        );
      },
    ],
    [
      "recipients of sign-ups, and the partner",
      async () => {
        const recipients = page.getByRole("main").getByRole("definition");
        await expect(recipients).toHaveText([
          "the operator of this site (placeholder)",
          new URL(site.backend.url).hostname,
          `Example Partner (${new URL(site.backend.url).hostname})`,
        ]);
      },
    ],
    [
      "cookies and storage the software sets",
      async () => {
        const cookies = sectionOf(page, "Cookies");
        await expect(cookies).toContainText(/A rollout cookie, at times\. While a new release .* ends 7 days after/);
        await expect(cookies).toContainText(
          /A preview cookie, for invited people\. Only someone who opens a preview link/,
        );
        await expect(cookies).toContainText(/The ad list of a city page\. .* kept in session storage/);
        await expect(cookies).toContainText(
          /If you state an age under 18, .* keep the word “closed,”.* They hold no age\./,
        );
        await expect(cookies).toContainText(
          /Where you were on a page\. .* how far you scrolled and which link you opened or field you left/,
        );
        await expect(cookies.getByRole("listitem")).toHaveCount(5);
      },
    ],
    [
      "contents of error reports",
      async () => {
        const collected = sectionOf(page, "Information we collect");
        await expect(collected).toContainText(
          /which release of that part failed, the pattern of the page, .+ whether it failed while loading or while being drawn, and the class of the error/,
        );
        await expect(collected).toContainText(/counts in memory only, .* keyed hash; the address itself isn’t kept/);
      },
    ],
  ]);
});
