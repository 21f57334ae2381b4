// Documents without JavaScript: the browser shows exactly what the gateway sent.
import type { Page } from "@playwright/test";

import { runChecks, type Check } from "../support/checks";
import { expectToday } from "../support/dates";
import { expect, test } from "../support/fixtures";
import { readHead } from "../support/head";
import { expectHttpError } from "../support/http-errors";
import { expectNoHorizontalScroll } from "../support/layout";
import { ARTICLE_ROUTES, ORIGIN, ROUTES, type Route } from "../support/routes";
import { expectScreen, NOT_FOUND_SCREENS, SCREENS, type Screen } from "../support/screens";

interface BreadcrumbItem {
  readonly position: number;
  readonly name: string;
  readonly item: string;
}

const SEARCHABLE = [...ROUTES, ...ARTICLE_ROUTES];

/** Returns the structured data (JSON-LD) of a document. */
function breadcrumbsIn(html: string): { readonly itemListElement: readonly BreadcrumbItem[] }[] {
  const blocks = html.matchAll(/<script data-head="" type="application\/ld\+json">(.*?)<\/script>/g);
  return [...blocks].map(([, json = ""]) => JSON.parse(json) as { itemListElement: BreadcrumbItem[] });
}

/** The document of a route has its status, head, text and breadcrumbs. */
async function expectRoute(
  page: Page,
  { path, canonical = path, title, robots, heading, breadcrumbs, texts = [] }: Route,
): Promise<void> {
  const response = await page.goto(path);
  expect(response?.status()).toBe(200);
  await expectScreen(page, heading);
  for (const text of texts) await expect(page.locator("body")).toContainText(text);
  await expect(page.getByRole("contentinfo")).toContainText("18+ only");
  await expect(page.locator("body")).not.toContainText("needs JavaScript");

  const head = await readHead(page);
  expect(head).toMatchObject({ title, robots, canonical: `${ORIGIN}${canonical}` });
  expect(head.description).toMatch(/\w.{20}/);
  await expect(page.locator("meta[name=rating]")).toHaveAttribute("content", "adult");
  const html = (await response?.text()) ?? "";
  expect(breadcrumbsIn(html)).toEqual(
    breadcrumbs
      ? [
          {
            "@context": "https://schema.org",
            "@type": "BreadcrumbList",
            itemListElement: breadcrumbs.map(([name, at], index) => ({
              "@type": "ListItem",
              position: index + 1,
              name,
              item: `${ORIGIN}${at}`,
            })),
          },
        ]
      : [],
  );
}

/** A screen is readable without JavaScript, on a phone and on a desktop. */
async function expectReadable(page: Page, { path, heading }: Pick<Screen, "path" | "heading">): Promise<void> {
  if (new URL(page.url()).pathname !== path) await page.goto(path);
  await expectScreen(page, heading);
  await expect(page.getByRole("contentinfo").getByText("18+ only")).toBeVisible();
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 720 });
    await expectNoHorizontalScroll(page);
  }
}

test.use({ javaScriptEnabled: false });

test("Every route has its status, head and text, and no overflow", async ({ page, site }) => {
  expect(site.serverRendering).toBe(true);
  await runChecks(
    SEARCHABLE.flatMap((route): Check[] => [
      [`${route.path}: status, head and text`, () => expectRoute(page, route)],
      [`${route.path}: readable`, () => expectReadable(page, route)],
    ]),
  );
});

test("The other screens are readable at 320 and 1280 px", async ({ page }) => {
  const others = SCREENS.filter(({ path }) => SEARCHABLE.every((route) => route.path !== path));
  await runChecks(others.map((screen): Check => [screen.name, () => expectReadable(page, screen)]));
});

test("Not-found screens answer 404 with noindex and a link home", async ({ page, browserErrors }) => {
  const expectNotFound = async ({ path, heading }: Screen): Promise<void> => {
    const response = await page.goto(path);
    expect(response?.status()).toBe(404);
    await expectReadable(page, { path, heading });
    await expect(page.getByRole("main").getByRole("link", { name: "Return to home" })).toHaveAttribute("href", "/");
    expect(await readHead(page)).toEqual({
      title: `${heading} - Colonnade Directory`,
      description: null,
      canonical: null,
      robots: "noindex",
      keywords: null,
      social: {},
    });
  };
  await runChecks(NOT_FOUND_SCREENS.map((screen): Check => [screen.name, () => expectNotFound(screen)]));
  await expectHttpError(browserErrors, 404);
});

test("A state's head has keywords and social tags", async ({ page }) => {
  await page.goto("/state/New%20York");
  const { keywords, description, social } = await readHead(page);
  expect(keywords).toContain("New York");
  expect(social).toEqual({
    title: "Colonnade Directory - Listings in New York",
    description,
    type: "website",
    url: `${ORIGIN}/state/New%20York`,
    image: expect.stringContaining("/assets/shell/") as unknown,
    "image:width": "1200",
    "image:height": "630",
    "image:alt": expect.stringMatching(/./) as unknown,
  });
  expect(description).toContain("175 cities");
});

test("A city has a loading message, and shared ads in noscript", async ({ page }) => {
  const response = await page.goto("/city/Texas/Houston");
  const html = (await response?.text()) ?? "";
  const [before = "", list = "", after = ""] = html.split(/<\/?noscript>/);
  expect(before).toMatch(/Houston, Texas<\/h1>.*These are sample listings, not real people\..*Loading ads\.\.\.</s);
  expect(before + after).not.toContain("Reply to Ad");
  expect(list.match(/<article/g)).toHaveLength(30);

  // Without JavaScript, nothing is loading.
  await expect(page.getByText("Loading ads...")).toBeHidden();
  const cards = page.getByRole("main").getByRole("article");
  await expect(cards).toHaveCount(30);
  await expect(cards.getByText("Sample ad", { exact: true })).toHaveCount(30);
  await expect(cards.getByText("most popular")).toHaveCount(2);
  for (const index of [0, 1]) await expect(cards.nth(index)).toContainText("most popular");
  const links = await cards
    .getByRole("heading")
    .getByRole("link")
    .evaluateAll((anchors) => anchors.map((a) => a.getAttribute("href")));
  expect(links).toEqual(Array.from({ length: 28 }, (_, index) => `/city/Texas/Houston/ad/${String(4251 + index)}`));
});

test("'Last updated' is today (UTC)", async ({ page }) => {
  for (const path of ["/terms", "/privacy"]) {
    await page.goto(path);
    await expectToday(page.getByText(/^Last updated/), "Last updated");
  }
});

test("The CSP allows only the inlined stylesheets inline", async ({ page }) => {
  for (const path of ["/", "/signup", "/nowhere"]) {
    const response = await page.request.get(path);
    const policy = response.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).toMatch(/style-src 'self'( 'sha256-[A-Za-z0-9+/=]+')+;/);
    expect(await response.text()).not.toMatch(/ style="|<style>|<script>| on\w+="/);
  }
});

test("HEAD answers like GET, and a conditional request answers 304", async ({ page }) => {
  const full = await page.request.get("/state/California");
  const head = await page.request.head("/state/California");
  expect(head.headers()).toMatchObject({ etag: full.headers().etag, "content-type": full.headers()["content-type"] });
  const conditional = await page.request.get("/state/California", {
    headers: { "if-none-match": full.headers().etag ?? "" },
  });
  expect(conditional.status()).toBe(304);
});
