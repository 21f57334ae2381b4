// @vitest-environment happy-dom
import type { Head } from "@colonnade/kit";
import { TEST_SITE } from "@colonnade/kit/testing";
import { beforeEach, describe, expect, test } from "vitest";

import { applyHead, noindexHead } from "./head.js";
import { searchNames } from "./loading/reload.js";

const HEAD: Head = {
  title: "A page",
  description: "What it is about",
  canonical: "/state/New%20York",
  robots: "noindex,nofollow",
  keywords: "one, two",
  alternates: [
    { language: "de", path: "/de/staat/New%20York" },
    { language: "x-default", path: "/state/New%20York" },
  ],
  social: { title: "Shared", description: "When shared", type: "website", url: "/state/New%20York" },
};

function content(selector: string): string | null | undefined {
  const element = document.head.querySelector(selector);
  return element?.getAttribute("content") ?? element?.getAttribute("href");
}

describe("applyHead", () => {
  beforeEach(() => {
    document.head.innerHTML = '<meta charset="utf-8"><meta name="rating" content="general"><title>Site</title>';
  });

  test("applyHead writes every tag, with absolute URLs", () => {
    applyHead(HEAD, TEST_SITE);
    expect(document.title).toBe("A page");
    expect(content("meta[name=description]")).toBe("What it is about");
    expect(content("meta[name=robots]")).toBe("noindex,nofollow");
    expect(content("meta[name=keywords]")).toBe("one, two");
    expect(content("link[rel=canonical]")).toBe("https://site.example/state/New%20York");
    expect(content("link[rel=alternate][hreflang=de]")).toBe("https://site.example/de/staat/New%20York");
    expect(content("link[rel=alternate][hreflang=x-default]")).toBe("https://site.example/state/New%20York");
    expect(content("meta[property='og:title']")).toBe("Shared");
    expect(content("meta[property='og:description']")).toBe("When shared");
    expect(content("meta[property='og:type']")).toBe("website");
    expect(content("meta[property='og:url']")).toBe("https://site.example/state/New%20York");
    expect(content("meta[property='og:site_name']")).toBe(TEST_SITE.brand);
  });

  test("the social image is set only on pages with social data", () => {
    const image = { file: "/assets/shell/1/social.png", width: 1200, height: 630, alt: "A bridge" };
    const tags = (): (string | null)[] =>
      [...document.head.querySelectorAll("meta[property^='og:image'], meta[name='twitter:card']")].map((tag) =>
        tag.getAttribute("content"),
      );
    applyHead(HEAD, TEST_SITE, image);
    expect(tags()).toEqual([
      "https://site.example/assets/shell/1/social.png",
      "1200",
      "630",
      "A bridge",
      "summary_large_image",
    ]);
    applyHead({ title: "Next", description: "Other", canonical: "/" }, TEST_SITE, image);
    expect(tags()).toEqual([]);
    applyHead(HEAD, TEST_SITE);
    expect(tags()).toEqual([]);
  });

  test("applyHead removes only the previous page's tags", () => {
    applyHead(HEAD, TEST_SITE);
    applyHead({ title: "Next", description: "Other", canonical: "/" }, TEST_SITE);
    expect(document.head.querySelectorAll("meta[name=description]").length).toBe(1);
    expect(document.head.querySelector("[rel=alternate], [name=robots], [name=keywords], [property]")).toBeNull();
    expect(content("link[rel=canonical]")).toBe("https://site.example/");
    expect(content("meta[name=rating]")).toBe("general");
  });

  test("the tags go into the head if an element of a page has its name", () => {
    const { head } = document;
    const form = document.createElement("form");
    // This DOM does not make the form a member of the document.
    Object.defineProperty(document, "head", { value: form, configurable: true });
    applyHead(HEAD, TEST_SITE);
    Reflect.deleteProperty(document, "head");
    expect(document.head).toBe(head);
    expect(form.childElementCount).toBe(0);
    expect(content("meta[name=description]")).toBe("What it is about");
  });

  test("applyHead removes the robots tag of an unknown path", () => {
    document.head.insertAdjacentHTML("beforeend", '<meta name="robots" content="noindex">');
    applyHead({ title: "Home", description: "d", canonical: "/" }, TEST_SITE);
    expect(document.head.querySelector("meta[name=robots]")).toBeNull();
  });

  test("the document has the language of the page, by default that of the site, and its direction", () => {
    const { documentElement } = document;
    const site = { ...TEST_SITE, language: "de" };
    applyHead({ ...HEAD, language: "ar" }, site);
    expect(documentElement.lang).toBe("ar");
    expect(documentElement.dir).toBe("rtl");
    applyHead(HEAD, site);
    expect(documentElement.lang).toBe("de");
    expect(documentElement.dir).toBe("ltr");
    applyHead(noindexHead("State not found"), TEST_SITE);
    expect(documentElement.lang).toBe("en");
  });

  test("every page of a preview is noindex, nofollow", () => {
    document.body.innerHTML = '<aside class="preview"></aside><div id="root"></div>';
    applyHead({ title: "Home", description: "d", canonical: "/" }, TEST_SITE);
    expect(content("meta[name=robots]")).toBe("noindex,nofollow");
    applyHead(noindexHead("State not found"), TEST_SITE);
    expect(content("meta[name=robots]")).toBe("noindex,nofollow");
    expect(document.head.querySelectorAll("meta[name=robots]").length).toBe(1);
    document.body.innerHTML = '<div id="root"><aside class="preview"></aside></div>';
    applyHead({ title: "Home", description: "d", canonical: "/" }, TEST_SITE);
    expect(document.head.querySelector("meta[name=robots]")).toBeNull();
  });

  test("the gateway's breadcrumbs stay while their page is current", () => {
    const origin = TEST_SITE;
    const breadcrumbs = (): Element | null => document.head.querySelector("script");
    applyHead(HEAD, origin);
    document.head.insertAdjacentHTML("beforeend", '<script data-head="" type="application/ld+json">{}</script>');
    applyHead(HEAD, origin);
    expect(breadcrumbs()).not.toBeNull();
    applyHead({ ...HEAD, canonical: "/elsewhere" }, origin);
    expect(breadcrumbs()).toBeNull();
    document.head.insertAdjacentHTML("beforeend", '<script data-head="" type="application/ld+json">{}</script>');
    applyHead(noindexHead("State not found"), origin);
    expect(breadcrumbs()).toBeNull();
  });

  test.each(["//evil.example", "https://evil.example/", "@evil.example", "/a\\b", "/a\0"])(
    "the URL %j, which is not a path of the site, is left out",
    (path) => {
      applyHead(
        {
          ...HEAD,
          canonical: path,
          alternates: [{ language: "de", path }],
          social: { title: "s", description: "d", type: "article", url: path },
        },
        TEST_SITE,
      );
      expect(content("meta[property='og:title']")).toBe("s");
      expect(document.head.querySelector("link, meta[property='og:url']")).toBeNull();
    },
  );

  test.each([
    ["/list", true],
    ["/list?page=2&sort=a%20b", true],
    ["/list?sort=a&page=2", false],
    ["/list?page=2&utm_source=x", false],
    ["/list?page", false],
    ["/list?sort=a b", false],
    ["/list?sort=a=b", false],
  ])("the URL %j is written: %j, as by the gateway", (path, isWritten) => {
    searchNames.set(location.pathname, ["sort", "page"]);
    const social = { title: "s", description: "d", type: "website", url: path } as const;
    applyHead({ ...HEAD, canonical: path, alternates: [{ language: "de", path }], social }, TEST_SITE);
    const url = isWritten ? `https://site.example${path}` : undefined;
    for (const selector of ["link[rel=canonical]", "link[hreflang=de]", "meta[property='og:url']"])
      expect(content(selector)).toBe(url);
    searchNames.clear();
  });

  test("a missing page is noindex and has no canonical URL", () => {
    applyHead(HEAD, TEST_SITE);
    applyHead(noindexHead("State not found"), TEST_SITE);
    expect(content("meta[name=robots]")).toBe("noindex");
    expect(document.head.querySelector("link[rel=canonical]")).toBeNull();
  });
});
