import { runChecks } from "../support/checks";
import { expectToday } from "../support/dates";
import { expect, test } from "../support/fixtures";
import { open } from "../support/screens";

const TERMS = { name: "terms", path: "/terms", heading: "Terms of use" };

// Subjects of the numbered sections.
const SUBJECTS = [
  "acceptance",
  "description of the service",
  "eligibility and registration",
  "prohibited activities",
  "content and conduct",
  "privacy",
  "payment and billing",
  "disclaimers",
  "indemnification",
  "termination",
  "governing law",
  "changes",
  "contact",
];

test("The terms have their content", async ({ page }) => {
  await open(page, TERMS);
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
      "contents link to their section",
      async () => {
        const contents = page.getByRole("navigation", { name: "Contents" }).getByRole("link");
        await expect(contents).toHaveCount(13);
        await contents.last().click();
        await expect(page.getByRole("heading", { name: "13. Contact" })).toBeInViewport();
        await expect(page).toHaveURL(/\/terms#/);
      },
    ],
    [
      "'Last updated' is today (UTC), next to 'Text in force since'",
      async () => {
        const updated = page.getByText(/^Last updated/);
        await expectToday(updated, "Last updated");
        const inForce = page.getByText(/^Text in force since/);
        await expect(inForce).toHaveText(/^Text in force since [A-Z][a-z]+ \d{1,2}, \d{4}$/);
        await expect(updated.locator("..")).toHaveText(/^Last updated .+Text in force since .+$/);
      },
    ],
    [
      "configured legal entity, contact address and governing law",
      async () => {
        const main = page.getByRole("main");
        await expect(main).toContainText("the operator of this site (placeholder)");
        await expect(main).toContainText("the law the operator of this site names here (placeholder)");
        await expect(main.getByRole("link", { name: "contact@example.com" }).first()).toHaveAttribute(
          "href",
          "mailto:contact@example.com",
        );
      },
    ],
    [
      "18 or older",
      async () => {
        await expect(page.getByText("You must be 18 or older to use Colonnade Directory")).toBeVisible();
      },
    ],
  ]);
});
