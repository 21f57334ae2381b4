// Documents without JavaScript: the browser shows exactly what the gateway sent.
import type { Page } from "@playwright/test";

import { expectLinksResolve, expectLongWordsFit, expectNoFalseClaims } from "../site/screen-checks";
import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/fixtures";
import { readHead } from "../support/head";
import { expectHttpError } from "../support/http-errors";
import { expectNoHorizontalScroll } from "../support/layout";
import { straightQuotes } from "../support/quotes";
import { ARTICLE_ROUTES, ORIGIN, ROUTES, type Route } from "../support/routes";
import { expectScreen, NOT_FOUND_SCREENS, type Screen } from "../support/screens";

/** Returns the structured data (JSON-LD) of a document. */
function structuredDataIn(html: string): unknown[] {
  const blocks = html.matchAll(/<script data-head="" type="application\/ld\+json">(.*?)<\/script>/g);
  return [...blocks].map(([, json = ""]) => JSON.parse(json) as unknown);
}

/** The document of a route has its status, head, text and breadcrumbs. */
async function expectDocument(
  page: Page,
  { path, canonical = path, title, robots, heading, breadcrumbs, texts = [] }: Route,
): Promise<void> {
  const response = await page.goto(path);
  expect(response?.status()).toBe(200);
  await expectScreen(page, heading);
  for (const text of [...texts, "18+ only"]) await expect(page.locator("body")).toContainText(text);
  await expect(page.locator("body")).not.toContainText("needs JavaScript");

  const head = await readHead(page);
  expect(head).toMatchObject({ title, robots, canonical: `${ORIGIN}${canonical}` });
  expect(head.description).toMatch(/\w.{20}/);
  await expect(page.locator("meta[name=rating]")).toHaveAttribute("content", "adult");
  const itemListElement = breadcrumbs?.map(([name, at], index) => ({
    "@type": "ListItem",
    position: index + 1,
    name,
    item: `${ORIGIN}${at}`,
  }));
  expect(structuredDataIn((await response?.text()) ?? "")).toEqual(
    itemListElement ? [{ "@context": "https://schema.org", "@type": "BreadcrumbList", itemListElement }] : [],
  );
}

/** Expects no horizontal scroll on a phone and a desktop. Ends at 1280 px. */
async function expectFits(page: Page): Promise<void> {
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 720 });
    await expectNoHorizontalScroll(page);
  }
}

/** No cell of a table and no part of a figure is cut off. Both may scroll, so the page does not show it. */
async function expectNothingCutOff(page: Page): Promise<void> {
  const cutOff = await page.getByRole("article").evaluate((article) => {
    const isBeyond = (element: Element, box: Element | null | undefined): boolean => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const edge = box?.getBoundingClientRect().right ?? 0;
      const right = element.matches("td") ? range.getBoundingClientRect().right : element.getBoundingClientRect().right;
      return right > edge + 0.5;
    };
    const parts = [
      ...[...article.querySelectorAll("td")].filter((cell) => isBeyond(cell, cell.closest("table")?.parentElement)),
      ...[...article.querySelectorAll("figure *")].filter((part) => isBeyond(part, part.closest("figure"))),
    ];
    return parts.map(({ outerHTML }) => outerHTML.slice(0, 100));
  });
  expect(cutOff).toEqual([]);
}

/** Everything in which one article differs from another: its text, tables and figures. */
async function expectArticle(page: Page, route: Route): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 });
  await expectDocument(page, route);
  expect((await readHead(page)).social).toMatchObject({ type: "article", url: `${ORIGIN}${route.path}` });
  expect(await straightQuotes(page)).toEqual([]);
  await expectNoFalseClaims(page);
  await expectLinksResolve(page);
  for (const width of [1280, 768, 320]) {
    await page.setViewportSize({ width, height: 720 });
    await expectNoHorizontalScroll(page);
    await expectNothingCutOff(page);
  }
  await expectLongWordsFit(page);
}

test.use({ javaScriptEnabled: false });

test("Each article's document has its head and text, and fits", async ({ page, site }) => {
  expect(site.serverRendering).toBe(true);
  const descriptions = new Set<string | null>();
  await runChecks(
    ARTICLE_ROUTES.map((route): Check => [
      route.path,
      async () => {
        await expectArticle(page, route);
        descriptions.add((await readHead(page)).description);
      },
    ]),
  );
  expect(descriptions.size).toBe(9);
});

test("The other documents have their status, head and text", async ({ page }) => {
  await runChecks(ROUTES.map((route): Check => [route.path, () => expectDocument(page, route)]));
});

test("Not-found screens answer 404 with noindex and a link home", async ({ page, browserErrors }) => {
  const expectNotFound = async ({ path, heading }: Screen): Promise<void> => {
    const response = await page.goto(path);
    expect(response?.status()).toBe(404);
    await expectScreen(page, heading);
    await expectFits(page);
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

test("Names match exactly after one decoding", async ({ request }) => {
  for (const [path, status] of [
    ["/state/New%20York", 200],
    ["/state/%4e%65w%20York", 200],
    ["/city/Missouri/O%27Fallon", 200],
    ["/state/new%20york", 404],
    ["/state/New%2520York", 404],
    ["/state/New+York", 404],
    ["/state/New%20York%20", 404],
    ["/state/__proto__", 404],
    ["/state", 404],
    ["/city/Texas", 404],
    ["/city/Texas/Houston/ad", 404],
    ["/about-escort-babylon/a/b", 404],
  ] as const)
    expect((await request.get(path)).status(), path).toBe(status);
});

test("A city has a loading message, and shared ads in noscript", async ({ page }) => {
  const response = await page.goto("/city/Texas/Houston");
  const html = (await response?.text()) ?? "";
  const [before = "", list = "", after = ""] = html.split(/<\/?noscript>/);
  expect(before).toMatch(/Houston, Texas<\/h1>.*These are sample ads, not real people\..*Loading ads\.\.\.</s);
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
  await expectFits(page);
  // The other document with content for browsers without JavaScript.
  await page.goto("/signup");
  await expectFits(page);
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
