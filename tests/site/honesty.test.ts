import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { ARTICLES, expectScreen, follow, open, SCREENS } from "../support/screens";

const HOUSTON = "/city/Texas/Houston";

// Every page that shows an ad or leads to one.
const DIRECTORY = [
  "/state/New%20York",
  "/state/Alabama",
  HOUSTON,
  "/city/Hawaii/%E2%80%98Ewa%20Beach",
  `${HOUSTON}/ad/4251`,
  `${HOUSTON}/ad/4300`,
];

const ARTICLE_SCREENS = ARTICLES.map((article) => `/about-escort-babylon/${article}`);

/** All that a page says: what is drawn, what is folded away, what images and head say. */
async function wordsOf(page: Page): Promise<string> {
  return page.evaluate(() =>
    [
      document.title,
      ...[...document.head.querySelectorAll("meta[content]")].map((tag) => tag.getAttribute("content")),
      document.querySelector(".frame")?.textContent,
      ...[...document.querySelectorAll("[alt], [aria-label], [title]")].flatMap((element) => [
        element.getAttribute("alt"),
        element.getAttribute("aria-label"),
        element.getAttribute("title"),
      ]),
    ].join("\n"),
  );
}

async function openPath(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/**
 * What the cards of all 52 ads say. A city shows at most 45, so two lists are put where the page keeps a list it
 * has drawn.
 */
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

test.describe("rule 1: bundled ads are samples and say so", () => {
  test("every ad card of a city page carries a visible 'Sample ad' badge", async ({ page }) => {
    await openPath(page, HOUSTON);
    const cards = page.getByRole("main").getByRole("article");
    const badges = cards.getByText("Sample ad", { exact: true });
    await expect(badges).toHaveCount(await cards.count());
    for (const badge of await badges.all()) await expect(badge).toBeVisible();
    for (const card of await cards.all()) await expect(card.getByText("Sample ad", { exact: true })).toHaveCount(1);
  });

  test("every sample ad page carries a visible 'Sample ad' badge", async ({ page }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await openPath(page, "/terms");
    for (let id = 4251; id <= 4300; id += 1) {
      await follow(page, `${HOUSTON}/ad/${String(id)}`);
      await expect(page).toHaveTitle(/ in Houston, Texas$/);
      await expect(page.locator("link[rel=canonical]")).toHaveAttribute("href", new RegExp(`/ad/${String(id)}$`));
      await expect(page.getByRole("main").getByText("Sample ad", { exact: true })).toBeVisible();
    }
  });

  test("every city page says that the listings are samples and no real people", async ({ page }) => {
    for (const city of ["Texas/Houston", "Alabama/Birmingham", "Oklahoma/Tulsa", "Missouri/O'Fallon"]) {
      await openPath(page, `/city/${city}`);
      await expect(page.getByText("The listings here are samples and no real people.")).toBeVisible();
    }
  });
});

test.describe("rule 2: wording follows evidence", () => {
  for (const path of DIRECTORY) {
    test(`${path} says nothing of verified, reviews, ratings, online now or views`, async ({ page }) => {
      await openPath(page, path);
      expect(await wordsOf(page)).not.toMatch(
        /verif|review|rating\b|rated|\d stars?\b|★|online now|available now|\bviews\b/i,
      );
    });
  }

  test("no page says verified, real reviews, online now, or visible to verified members only", async ({ page }) => {
    for (const path of [...SCREENS.map((screen) => screen.path), ...ARTICLE_SCREENS]) {
      await openPath(page, path);
      expect(await wordsOf(page), path).not.toMatch(
        /verified (escorts|listings|ads|members|advertisers)|browse verified|real reviews|online now|\bvisitors? online|visible to verified/i,
      );
      // Nor does it say so to search engines.
      expect(await page.content(), path).not.toMatch(/AggregateRating|"Review"|itemprop="(review|rating)/i);
    }
  });
});

test.describe("rule 4: what opens the dialog from a sample says first what a sample is", () => {
  const SAMPLES = "These ads are samples. Nobody receives a reply, and signing up unlocks no photos or further ads.";

  for (const [label, path] of [
    ["Reply to Ad 💬", HOUSTON],
    ["Next Page →", HOUSTON],
    ["Pics 📸", `${HOUSTON}/ad/4251`],
    ["Reply", `${HOUSTON}/ad/4251`],
  ] as const) {
    test(`'${label}'`, async ({ page }) => {
      await openPath(page, path);
      await page.getByRole("main").getByRole("button", { name: label, exact: true }).first().click();
      await expect(page.getByRole("dialog").getByRole("paragraph").first()).toHaveText(SAMPLES);
    });
  }

  test("'Join Free' in the footer of the same page does not", async ({ page }) => {
    await openPath(page, HOUSTON);
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog").getByRole("textbox").first()).toBeVisible();
    await expect(page.getByRole("dialog")).not.toContainText("These ads are samples.");
  });
});

test.describe("rule 6: nobody who is invented speaks as if real", () => {
  test("the home page's testimonial is labelled 'Sample testimonial', says that the site wrote it, and has no name, photo or rating", async ({
    page,
  }) => {
    await openPath(page, "/");
    const testimonial = page.getByRole("region", { name: "Sample testimonial" });
    await expect(testimonial.getByText("Sample testimonial", { exact: true })).toBeVisible();
    await expect(testimonial.getByText("Written by this site; no real person said it.")).toBeVisible();
    // Label, words, and who wrote them: there is no room for a name.
    await expect(testimonial.locator(":scope > *")).toHaveCount(3);
    await expect(testimonial.locator("img, svg, cite, footer")).toHaveCount(0);
    await expect(testimonial).not.toContainText(/[★☆⭐]|\d\s*(\/|of|out of)\s*\d|\bI\b|\bmy\b/);
  });

  test("sample venues are labelled 'Sample venue', with visibly impossible addresses", async ({ page }) => {
    for (const state of ["New%20York", "Oklahoma"]) {
      await openPath(page, `/state/${state}`);
      const venues = page.getByRole("listitem").filter({ hasText: "Sample venue" });
      await expect(venues).toHaveCount(8);
      for (const venue of await venues.all()) {
        await expect(venue.getByText("Sample venue", { exact: true })).toBeVisible();
        await expect(
          venue.getByText(/^0+ (Sample|Placeholder|Example|Specimen|Nowhere|Fictional|Imaginary|Template) /),
        ).toBeVisible();
      }
    }
  });

  test("photos are generated abstract art, and say so", async ({ page }) => {
    await openPath(page, HOUSTON);
    const images = page.locator("img");
    await expect(images).toHaveCount(4);
    for (const image of await images.all()) {
      await expect(image).toHaveAttribute("src", /^\/assets\/directory\/[^/]+\/900[12]-[ab]\.\w+\.svg$/);
      await expect(image).toHaveAttribute("alt", "Abstract placeholder, not a photo");
      const drawing = await page.request.get((await image.getAttribute("src")) ?? "");
      expect(drawing.headers()["content-type"]).toBe("image/svg+xml");
      expect(await drawing.text()).not.toMatch(/<image|<script|href=/);
      expect(await drawing.text()).toContain("SAMPLE");
    }
  });

  test("no other screen shows a picture of anything but art", async ({ page }) => {
    for (const screen of SCREENS.filter(({ path }) => path !== HOUSTON)) {
      await open(page, screen);
      await expect(page.locator("img, picture, video, canvas, iframe")).toHaveCount(0);
    }
  });

  test("ads hold no contact details", async ({ page }) => {
    const texts = await textsOfAllAds(page);
    for (const text of texts)
      expect(text).not.toMatch(
        /@|https?:|www\.|\.com\b|\d{3}[\s.-]?\d{3,4}|whatsapp|telegram|snapchat|instagram|text me/i,
      );
  });
});

test("rule 7: no ad arranges, prices or describes sexual services", async ({ page }) => {
  const texts = await textsOfAllAds(page);
  for (const text of texts)
    expect(text).not.toMatch(
      /[$€£]|\b(rates?|donations?|roses|per hour|\d+ an hour|hourly|in-?call|out-?call|gfe|sex\w*|nud\w+|naked|erotic\w*|sensual\w*|massages?|fetish\w*|kink\w*|intimate|intimacy|lingerie|bed(room)?)\b/i,
    );
});

test.describe("rule 8: articles and legal pages say true and useful things", () => {
  for (const path of ["/terms", "/about-escort-babylon/legal-guide"]) {
    test(`${path} says that it is no legal advice`, async ({ page }) => {
      await openPath(page, path);
      await expect(page.getByRole("main")).toContainText(/no legal(, medical or other professional)? advice/);
    });
  }

  test("the legal guide names the law", async ({ page }) => {
    await openPath(page, "/about-escort-babylon/legal-guide");
    for (const law of [/2421A/, /1591/, /Mann Act/, /Nevada/, /Maine/, /Section 230|Paxton/])
      await expect(page.getByRole("main")).toContainText(law);
  });

  for (const article of ["safety-guide", "red-flags"]) {
    test(`${article} names the national resources`, async ({ page }) => {
      await openPath(page, `/about-escort-babylon/${article}`);
      await expectScreen(page, article === "safety-guide" ? "Safety guide" : "Red flags");
      for (const resource of [
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
      ])
        await expect(page.getByRole("main")).toContainText(resource);
      await expect(page.getByRole("table").locator("a[href*='humantraffickinghotline.org']")).toBeVisible();
      await expect(page.getByRole("main")).not.toContainText("Polaris");
    });
  }

  test("city and ad pages name where to report an ad", async ({ page }) => {
    for (const [path, heading] of [
      [HOUSTON, "Report an ad"],
      [`${HOUSTON}/ad/4251`, "Report this ad"],
    ] as const) {
      await openPath(page, path);
      const report = page.getByRole("region", { name: heading });
      for (const resource of ["contact@example.com", "Call 911", "1-888-373-7888", "1-800-843-5678"])
        await expect(report.getByRole("link", { name: resource, exact: true })).toBeVisible();
    }
  });
});
