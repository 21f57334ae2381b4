import { expectToday } from "../support/dates";
import { expect, test } from "../support/fixtures";
import { open } from "../support/screens";

const TERMS = { name: "terms", path: "/terms", heading: "Terms of use" };

// What the numbered sections are about, in order.
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

test.beforeEach(async ({ page }) => {
  await open(page, TERMS);
});

test("there are 13 numbered sections", async ({ page }) => {
  await expect(page.getByRole("main").getByRole("heading", { level: 2, name: /^\d+\./ })).toHaveText(
    SUBJECTS.map((subject, index) => new RegExp(`^${String(index + 1)}\\. ${subject}`, "i")),
  );
});

test("each entry of the contents leads to its section", async ({ page }) => {
  const contents = page.getByRole("navigation", { name: "Contents" }).getByRole("link");
  await expect(contents).toHaveCount(13);
  await contents.last().click();
  await expect(page.getByRole("heading", { name: "13. Contact" })).toBeInViewport();
  await expect(page).toHaveURL(/\/terms#/);
});

test("'Last updated' shows today's date (UTC), and beside it 'Text in force since {date}'", async ({ page }) => {
  const updated = page.getByText(/^Last updated/);
  await expectToday(updated, "Last updated");
  const inForce = page.getByText(/^Text in force since/);
  await expect(inForce).toHaveText(/^Text in force since [A-Z][a-z]+ \d{1,2}, \d{4}$/);
  await expect(updated.locator("..")).toHaveText(/^Last updated .+Text in force since .+$/);
});

test("legal entity, contact address and governing law come from the configuration", async ({ page }) => {
  const main = page.getByRole("main");
  await expect(main).toContainText("the operator of this site (placeholder)");
  await expect(main).toContainText("the law the operator of this site names here (placeholder)");
  await expect(main.getByRole("link", { name: "contact@example.com" }).first()).toHaveAttribute(
    "href",
    "mailto:contact@example.com",
  );
});

test("it says 18 or older", async ({ page }) => {
  await expect(page.getByText("You must be 18 or older to use Colonnade Directory")).toBeVisible();
});
