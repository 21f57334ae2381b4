import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectScreen } from "../support/screens";
import { allText } from "./screen-checks";

const HOUSTON = "/city/Texas/Houston";

// Every kind of page that shows an ad or links to one.
const DIRECTORY = [
  "/state/New%20York",
  "/state/Alabama",
  HOUSTON,
  "/city/Hawaii/%E2%80%98Ewa%20Beach",
  `${HOUSTON}/ad/4251`,
  `${HOUSTON}/ad/4300`,
];

const RESOURCES = [
  "911",
  "1-888-373-7888",
  "233733",
  "1-866-347-2423",
  "report.cybertip.org",
  "1-800-843-5678",
  "1-800-656-4673",
  "rainn.org",
  "ic3.gov",
  "tips.fbi.gov",
  /TakeItDown\.ftc\.gov/i,
  "988",
];

async function openPath(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/** Sample venues are labeled, with impossible addresses. */
async function expectSampleVenues(page: Page): Promise<void> {
  const venues = page.getByRole("listitem").filter({ hasText: "Sample venue" });
  await expect(venues).toHaveCount(8);
  await expect(venues.getByText("Sample venue", { exact: true })).toHaveCount(8);
  await expect(
    venues.getByText(/^0+ (Sample|Placeholder|Example|Specimen|Nowhere|Fictional|Imaginary|Template) /),
  ).toHaveCount(8);
}

/** Returns the texts of all 52 ad cards. A city shows at most 45, so two lists are put into session storage. */
async function textsOfAllAds(page: Page): Promise<string[]> {
  const texts = new Map<string, string>();
  for (const first of [4251, 4258]) {
    const ids = [9001, 9002, ...Array.from({ length: 43 }, (_, index) => first + index)];
    await openPath(page, "/terms");
    await page.evaluate(
      ([key, list]) => {
        sessionStorage.setItem(key, list);
      },
      [`ads:${HOUSTON}`, JSON.stringify(ids)] as const,
    );
    await openPath(page, HOUSTON);
    for (const text of await page.getByRole("main").getByRole("article").allInnerTexts())
      texts.set(text.split("\n")[0] ?? "", text);
  }
  expect(texts.size).toBe(52);
  return [...texts.values()];
}

test("Directory pages label samples, claim nothing, and say where to report", async ({ page }) => {
  for (const path of DIRECTORY) {
    await openPath(page, path);
    expect
      .soft(await allText(page), path)
      .not.toMatch(/verif|review|rating\b|rated|\d stars?\b|★|online now|available now|\bviews\b/i);
    if (path.startsWith("/state/")) await expectSampleVenues(page);
    else if (!path.includes("/ad/"))
      await expect(page.getByText("These are sample listings, not real people.")).toBeVisible();
    if (!path.startsWith(HOUSTON)) continue;
    const report = page.getByRole("region", { name: path === HOUSTON ? "Report an ad" : "Report this ad" });
    for (const resource of ["contact@example.com", "Call 911", "1-888-373-7888", "1-800-843-5678"])
      await expect(report.getByRole("link", { name: resource, exact: true })).toBeVisible();
  }
});

test("The testimonial is a labeled sample without name or photo", async ({ page }) => {
  await openPath(page, "/");
  const testimonial = page.getByRole("region", { name: "Sample testimonial" });
  await expect(testimonial.getByText("Sample testimonial", { exact: true })).toBeVisible();
  await expect(testimonial.getByText("Written by this site. No real person said it.")).toBeVisible();
  // Label, quote and author note: there is no element for a name.
  await expect(testimonial.locator(":scope > *")).toHaveCount(3);
  await expect(testimonial.locator("img, svg, cite, footer")).toHaveCount(0);
  await expect(testimonial).not.toContainText(/[★☆⭐]|\d\s*(\/|of|out of)\s*\d|\bI\b|\bmy\b/);
});

test("Ads contain no contact details or sexual services", async ({ page }) => {
  for (const text of await textsOfAllAds(page)) {
    expect
      .soft(text)
      .not.toMatch(/@|https?:|www\.|\.com\b|\d{3}[\s.-]?\d{3,4}|whatsapp|telegram|snapchat|instagram|text me/i);
    expect
      .soft(text)
      .not.toMatch(
        /[$€£]|\b(rates?|donations?|roses|per hour|\d+ an hour|hourly|in-?call|out-?call|gfe|sex\w*|nud\w+|naked|erotic\w*|sensual\w*|massages?|fetish\w*|kink\w*|intimate|intimacy|lingerie|bed(room)?)\b/i,
      );
  }
});

test("Terms and legal guide disclaim advice and name the law", async ({ page }) => {
  const main = page.getByRole("main");
  for (const path of ["/terms", "/about-escort-babylon/legal-guide"]) {
    await openPath(page, path);
    await expect(main).toContainText(/(aren’t legal, medical, or other professional|isn’t legal) advice/);
  }
  for (const law of [/2421A/, /1591/, /Mann Act/, /Nevada/, /Maine/, /Section 230|Paxton/])
    await expect(main).toContainText(law);
});

test("Safety guide and red flags name the national resources", async ({ page }) => {
  for (const [article, heading] of [
    ["safety-guide", "Safety guide"],
    ["red-flags", "Red flags"],
  ] as const) {
    await openPath(page, `/about-escort-babylon/${article}`);
    await expectScreen(page, heading);
    for (const resource of RESOURCES) await expect(page.getByRole("main")).toContainText(resource);
    await expect(page.getByRole("table").locator("a[href*='humantraffickinghotline.org']")).toBeVisible();
    await expect(page.getByRole("main")).not.toContainText("Polaris");
  }
});
