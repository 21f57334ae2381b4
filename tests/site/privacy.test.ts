import type { Locator, Page } from "@playwright/test";

import { runChecks } from "../support/checks";
import { expectToday } from "../support/dates";
import { expect, test } from "../support/fixtures";
import { open } from "../support/screens";

const PRIVACY = { name: "privacy", path: "/privacy", heading: "Privacy policy" };

function sectionOf(page: Page, heading: string): Locator {
  return page.locator("section").filter({ has: page.getByRole("heading", { level: 2, name: heading }) });
}

// mfe-legal tests the sections, and the facts from the configuration.
test("The privacy policy has its content", async ({ page, site }) => {
  await open(page, PRIVACY);
  await runChecks([
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
