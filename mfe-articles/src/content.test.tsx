import { matchPath } from "@colonnade/kit";
import type { RenderedPage } from "@colonnade/kit/testing";
import { cleanup } from "@testing-library/react";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { SLUGS } from "./articles";
import { renderExisting } from "./testing/page";

// The pages of the whole site that an article may lead to.
const ROUTES = ["/", "/state/:state", "/city/:state/:city", "/terms", "/privacy", "/signup", "/about-escort-babylon"];
const ARTICLE = "/about-escort-babylon/:article";

function isRoute(href: string): boolean {
  const pathname = href.split("#", 1)[0] ?? "";
  const article = matchPath(ARTICLE, pathname)?.article;
  return SLUGS.some((slug) => slug === article) || ROUTES.some((route) => matchPath(route, pathname) !== null);
}

function wordsOf(element: Element): number {
  const text = element.innerHTML.replace(/<[^>]*>/g, " ");
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

it("content/ holds the nine articles and nothing else", async () => {
  const files = await readdir(path.resolve(import.meta.dirname, "../content"));
  expect(files.sort()).toEqual(SLUGS.map((slug) => `${slug}.md`).sort());
});

describe.each(SLUGS)("the article %s", (slug) => {
  let view: RenderedPage;
  let text: Element;
  beforeAll(async () => {
    view = await renderExisting(`/about-escort-babylon/${slug}`);
    const prose = view.container.querySelector(".prose");
    if (!prose) throw new Error("the page shows no text");
    text = prose;
  });
  afterAll(cleanup);

  it("has between 700 and 1,200 words", () => {
    expect(wordsOf(text)).toBeGreaterThanOrEqual(700);
    expect(wordsOf(text)).toBeLessThanOrEqual(1200);
  });

  it("leaves no fact unfilled", () => {
    expect(view.container.innerHTML).not.toMatch(/[{}]|site-fact/);
    expect(`${view.head.title} ${view.head.description}`).not.toMatch(/[{}]/);
  });

  it("leads, within the site, to pages that exist", () => {
    const links = [...view.container.querySelectorAll("a")].map((anchor) => anchor.getAttribute("href") ?? "");
    const internal = links.filter((href) => !/^(https:|tel:|mailto:|#)/.test(href));
    expect(internal.filter((href) => !isRoute(href))).toEqual([]);
  });

  it("marks links to elsewhere, and none of them is a partner's", () => {
    for (const anchor of text.querySelectorAll("a[href^='http']")) {
      expect(anchor.getAttribute("rel")).toBe("noopener noreferrer external");
      expect(anchor.getAttribute("href")).toMatch(/^https?:\/\/[^/]*[a-z]/);
    }
  });

  it("names at least two sources by their exact place", () => {
    const links = [...view.container.querySelectorAll("[aria-labelledby='sources'] li a")];
    const addresses = links.map((anchor) => new URL(anchor.getAttribute("href") ?? ""));
    expect(
      addresses.filter(({ protocol, pathname }) => protocol === "https:" && pathname !== "/").length,
    ).toBeGreaterThan(1);
    expect(view.container.querySelectorAll("[aria-labelledby='sources'] li")).toHaveLength(links.length);
  });

  it("starts no heading above the second level and skips none", () => {
    const levels = [...text.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => Number(tagName[1]));
    expect(levels[0]).toBe(2);
    levels.forEach((level, index) => {
      expect(level).toBeGreaterThanOrEqual(2);
      expect(level - (levels[index - 1] ?? 2)).toBeLessThanOrEqual(1);
    });
  });

  it("draws nothing that the content security policy forbids", () => {
    expect(view.container.querySelectorAll("[style], style, script, iframe")).toHaveLength(0);
  });

  it("claims nothing of verified members", () => {
    expect(text.textContent).not.toMatch(/verified members/i);
  });
});

describe("help in need", () => {
  it.each(["safety-guide", "red-flags"] as const)("%s names the national resources", async (slug) => {
    const { container } = await renderExisting(`/about-escort-babylon/${slug}`);
    const links = [...container.querySelectorAll("a")].map((anchor) => anchor.getAttribute("href"));
    cleanup();
    expect(links).toEqual(
      expect.arrayContaining([
        "tel:911",
        "tel:+18883737888",
        "tel:+18663472423",
        "https://report.cybertip.org",
        "tel:+18008435678",
        "tel:+18006564673",
        "https://www.ic3.gov",
        "https://TakeItDown.ftc.gov",
        "tel:988",
      ]),
    );
  });

  it.each(["legal-guide"] as const)("%s says that it is no legal advice", async (slug) => {
    const { container } = await renderExisting(`/about-escort-babylon/${slug}`);
    expect(container.textContent).toMatch(/no legal advice/);
    cleanup();
  });
});
