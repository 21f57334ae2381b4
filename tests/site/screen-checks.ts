import { expect, type Page } from "@playwright/test";

import { expectNoHorizontalScroll } from "../support/layout";
import { ARTICLE_ROUTES, ROUTES } from "../support/routes";
import type { Screen } from "../support/screens";
import { SAMPLE_SENTENCE } from "../support/signup";

const HOUSTON = "/city/Texas/Houston";
/** A word without a place to break, as in names, addresses and other languages. */
const LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerk";

/** Returns all text of a page: rendered or collapsed, in images and in the head. */
async function allText(page: Page): Promise<string> {
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

/** No page claims verification, reviews or visitors online, neither to readers nor to search engines. */
export async function expectNoFalseClaims(page: Page): Promise<void> {
  expect(await allText(page)).not.toMatch(
    /verified (escorts|listings|ads|members|advertisers)|browse verified|real reviews|online now|\bvisitors? online|visible to verified/i,
  );
  expect(await page.content()).not.toMatch(/AggregateRating|"Review"|itemprop="(review|rating)/i);
}

/** Only a city page shows pictures: the sample art of its featured ads. */
export async function expectNoPhotos(page: Page, { path }: Screen): Promise<void> {
  if (path !== HOUSTON) await expect(page.locator("img, picture, video, canvas, iframe")).toHaveCount(0);
}

/** Links on the site lead to a known page, and fragment links to an element of the page. */
export async function expectLinksResolve(page: Page): Promise<void> {
  const known = new Set([...ROUTES, ...ARTICLE_ROUTES].map((route) => route.path));
  const links = await page
    .locator("a[href^='/'], a[href^='#']")
    .evaluateAll((anchors) => anchors.map((anchor) => (anchor as HTMLAnchorElement).href));
  expect(links.length).toBeGreaterThan(3);
  const unknown = new Set<string>();
  for (const href of links) {
    const { hash, pathname } = new URL(href);
    if (hash && pathname === new URL(page.url()).pathname)
      await expect(page.locator(`[id="${hash.slice(1)}"]`), hash).toHaveCount(1);
    else if (!/^\/(city|state)\//.test(pathname) && !known.has(pathname)) unknown.add(pathname);
  }
  expect([...unknown]).toEqual([]);
}

/** The footer says "18+ only", links the legal pages, and opens and closes the sign-up dialog. */
export async function expectFooter(page: Page): Promise<void> {
  const footer = page.getByRole("contentinfo");
  const dialog = page.getByRole("dialog");
  await page.keyboard.press("Escape");
  await expect(footer.getByText(/(^| - )18\+ only$/)).toBeVisible();
  await expect(footer.getByRole("link")).toHaveText(["Terms", "Privacy", "About", "Safety guide", "Get help / Report"]);
  for (const [label, path] of [
    ["Terms", "/terms"],
    ["Privacy", "/privacy"],
    ["About", "/about-escort-babylon"],
    ["Safety guide", "/about-escort-babylon/safety-guide"],
    ["Get help / Report", "/about-escort-babylon/safety-guide#get-help"],
  ] as const)
    await expect(footer.getByRole("link", { name: label })).toHaveAttribute("href", path);
  await footer.getByRole("button", { name: "Join Free" }).click();
  await expect(dialog).toBeVisible();
  await expect(dialog.getByText(SAMPLE_SENTENCE)).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await expect(footer.getByRole("button", { name: "Join Free" })).toBeFocused();
}

/** The software stores what the privacy policy says, and nothing else. */
export async function expectNothingStored(page: Page, { path }: Screen): Promise<void> {
  expect(await page.context().cookies()).toEqual([]);
  const { history: entry, ...storage } = await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage),
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    // Without the keys of the router.
    history: Object.keys((history.state as object | null) ?? {}).filter((key) => !["usr", "key", "idx"].includes(key)),
  }));
  const session = path === HOUSTON ? [`ads:${HOUSTON}`] : [];
  expect(storage).toEqual({ local: [], session, databases: [], caches: [], workers: 0 });
  expect(["", "scrollTop"]).toContain(entry.join());
}

/** Replaces each text of the page by a word of 50 letters, which must not widen the page. */
export async function expectLongWordsFit(page: Page): Promise<void> {
  const replaced = await page.getByRole("main").evaluate((main, word) => {
    const texts = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
    let count = 0;
    while (texts.nextNode()) {
      const { currentNode: text } = texts;
      // Drawings, dates and phone numbers have no long words.
      if (!/\p{L}{3}/u.test(text.textContent ?? "")) continue;
      if (text.parentElement?.closest("svg, noscript, time, [href^='tel:']")) continue;
      text.textContent = word;
      count += 1;
    }
    return count;
  }, LONG_WORD);
  expect(replaced).toBeGreaterThan(4);
  await expectNoHorizontalScroll(page);
}

/** Records the URLs of requests to other origins. */
export function recordThirdPartyRequests(page: Page, origin: string): readonly string[] {
  const urls: string[] = [];
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== origin) urls.push(request.url());
  });
  return urls;
}
