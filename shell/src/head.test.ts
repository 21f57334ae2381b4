// @vitest-environment happy-dom
import type { Head } from "@colonnade/kit";
import { beforeEach, describe, expect, test } from "vitest";

import { applyHead, plainHead } from "./head";

const HEAD: Head = {
  title: "A page",
  description: "What it is about",
  canonical: "/state/New%20York",
  robots: "noindex,nofollow",
  keywords: "one, two",
  social: { title: "Shared", description: "When shared", type: "website", url: "/state/New%20York" },
};

function content(selector: string): string | null | undefined {
  const element = document.head.querySelector(selector);
  return element?.getAttribute("content") ?? element?.getAttribute("href");
}

describe("applyHead", () => {
  beforeEach(() => {
    document.head.innerHTML = '<meta charset="utf-8"><meta name="rating" content="adult"><title>Site</title>';
  });

  test("writes every tag, with addresses made absolute", () => {
    applyHead(HEAD, "https://site.example");
    expect(document.title).toBe("A page");
    expect(content("meta[name=description]")).toBe("What it is about");
    expect(content("meta[name=robots]")).toBe("noindex,nofollow");
    expect(content("meta[name=keywords]")).toBe("one, two");
    expect(content("link[rel=canonical]")).toBe("https://site.example/state/New%20York");
    expect(content("meta[property='og:title']")).toBe("Shared");
    expect(content("meta[property='og:description']")).toBe("When shared");
    expect(content("meta[property='og:type']")).toBe("website");
    expect(content("meta[property='og:url']")).toBe("https://site.example/state/New%20York");
  });

  test("a page that may be shared has the shell's picture, and the next one has none", () => {
    const image = { file: "/assets/shell/1/social.png", width: 1200, height: 630, alt: "A temple" };
    const tags = (): (string | null)[] =>
      [...document.head.querySelectorAll("meta[property^='og:image'], meta[name='twitter:card']")].map((tag) =>
        tag.getAttribute("content"),
      );
    applyHead(HEAD, "https://site.example", image);
    expect(tags()).toEqual([
      "https://site.example/assets/shell/1/social.png",
      "1200",
      "630",
      "A temple",
      "summary_large_image",
    ]);
    applyHead({ title: "Next", description: "Other", canonical: "/" }, "https://site.example", image);
    expect(tags()).toEqual([]);
    applyHead(HEAD, "https://site.example");
    expect(tags()).toEqual([]);
  });

  test("leaves nothing of the page before, and the document's own tags alone", () => {
    applyHead(HEAD, "https://site.example");
    applyHead({ title: "Next", description: "Other", canonical: "/" }, "https://site.example");
    expect(document.head.querySelectorAll("meta[name=description]").length).toBe(1);
    expect(document.head.querySelector("meta[name=robots], meta[name=keywords], meta[property]")).toBeNull();
    expect(content("link[rel=canonical]")).toBe("https://site.example/");
    expect(content("meta[name=rating]")).toBe("adult");
  });

  test("takes over the robots tag of a document for an unknown path", () => {
    document.head.insertAdjacentHTML("beforeend", '<meta name="robots" content="noindex">');
    applyHead({ title: "Home", description: "d", canonical: "/" }, "https://site.example");
    expect(document.head.querySelector("meta[name=robots]")).toBeNull();
  });

  test("nothing of a preview is kept by search engines, wherever it leads", () => {
    document.body.innerHTML = '<aside class="preview"></aside><div id="root"></div>';
    applyHead({ title: "Home", description: "d", canonical: "/" }, "https://site.example");
    expect(content("meta[name=robots]")).toBe("noindex,nofollow");
    applyHead(plainHead("State not found"), "https://site.example");
    expect(content("meta[name=robots]")).toBe("noindex,nofollow");
    expect(document.head.querySelectorAll("meta[name=robots]").length).toBe(1);
    document.body.innerHTML = '<div id="root"><aside class="preview"></aside></div>';
    applyHead({ title: "Home", description: "d", canonical: "/" }, "https://site.example");
    expect(document.head.querySelector("meta[name=robots]")).toBeNull();
  });

  test("leaves the gateway's trail where it is for as long as its page is shown", () => {
    const origin = "https://site.example";
    const trail = (): Element | null => document.head.querySelector("script");
    applyHead(HEAD, origin);
    document.head.insertAdjacentHTML("beforeend", '<script data-head="" type="application/ld+json">{}</script>');
    applyHead(HEAD, origin);
    expect(trail()).not.toBeNull();
    applyHead({ ...HEAD, canonical: "/elsewhere" }, origin);
    expect(trail()).toBeNull();
    document.head.insertAdjacentHTML("beforeend", '<script data-head="" type="application/ld+json">{}</script>');
    applyHead(plainHead("State not found"), origin);
    expect(trail()).toBeNull();
  });

  test("a page that does not exist is noindex and has no canonical address", () => {
    applyHead(HEAD, "https://site.example");
    applyHead(plainHead("State not found"), "https://site.example");
    expect(content("meta[name=robots]")).toBe("noindex");
    expect(document.head.querySelector("link[rel=canonical]")).toBeNull();
  });
});
