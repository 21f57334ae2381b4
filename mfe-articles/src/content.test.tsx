import { DIRECTORY } from "@colonnade/design/testing";
import { matchPath } from "@colonnade/kit";
import type { RenderedPage } from "@colonnade/kit/testing";
import { cleanup } from "@testing-library/react";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { SLUGS } from "./articles";
import { renderExisting } from "./testing/page";

// The pages that articles may link to.
const ROUTES = ["/", "/state/:state", "/city/:state/:city", "/terms", "/privacy", "/signup", "/about-escort-babylon"];
const ARTICLE = "/about-escort-babylon/:article";

function isRoute(href: string): boolean {
  const pathname = href.split("#", 1)[0] ?? "";
  const article = matchPath(ARTICLE, pathname)?.article;
  return SLUGS.some((slug) => slug === article) || ROUTES.some((route) => matchPath(route, pathname) !== null);
}

function countWords(element: Element): number {
  const text = element.innerHTML.replace(/<[^>]*>/g, " ");
  return text.split(/\s+/).filter((word) => /\w/.test(word)).length;
}

it("content/ contains the nine articles and nothing else", async () => {
  const files = await readdir(path.resolve(import.meta.dirname, "../content"));
  expect(files.sort()).toEqual(SLUGS.map((slug) => `${slug}.md`).sort());
});

describe.each(SLUGS)("the article %s", (slug) => {
  let view: RenderedPage;
  let text: Element;
  beforeAll(async () => {
    view = await renderExisting(`/about-escort-babylon/${slug}`);
    const prose = view.container.querySelector(".prose");
    if (!prose) throw new Error("the page has no .prose element");
    text = prose;
  });
  afterAll(cleanup);

  it("has between 700 and 1,200 words, and maybe sample ads", () => {
    const samples = [...text.querySelectorAll("figure:has(h3)")];
    const words = countWords(text) - samples.reduce((sum, sample) => sum + countWords(sample), 0);
    expect(words).toBeGreaterThanOrEqual(700);
    expect(words).toBeLessThanOrEqual(1200);
  });

  it("fills in every fact", () => {
    expect(view.container.innerHTML).not.toMatch(/[{}]|site-fact/);
    expect(`${view.head.title} ${view.head.description}`).not.toMatch(/[{}]/);
  });

  it("links only to existing pages within the site", () => {
    const links = [...view.container.querySelectorAll("a")].map((anchor) => anchor.getAttribute("href") ?? "");
    const internal = links.filter((href) => !/^(https:|tel:|mailto:|#)/.test(href));
    expect(internal.filter((href) => !isRoute(href))).toEqual([]);
  });

  it("marks external links, none of which goes to a partner", () => {
    for (const anchor of text.querySelectorAll("a[href^='http']")) {
      expect(anchor.getAttribute("rel")).toBe("noopener noreferrer external");
      expect(anchor.getAttribute("href")).toMatch(/^https?:\/\/[^/]*[a-z]/);
    }
  });

  it("has at least two sources with exact URLs", () => {
    const links = [...view.container.querySelectorAll("[aria-labelledby='sources'] li a")];
    const addresses = links.map((anchor) => new URL(anchor.getAttribute("href") ?? ""));
    expect(
      addresses.filter(({ protocol, pathname }) => protocol === "https:" && pathname !== "/").length,
    ).toBeGreaterThan(1);
    expect(view.container.querySelectorAll("[aria-labelledby='sources'] li")).toHaveLength(links.length);
  });

  it("starts headings at the second level and skips none", () => {
    const levels = [...text.querySelectorAll("h1, h2, h3, h4, h5, h6")].map(({ tagName }) => Number(tagName[1]));
    expect(levels[0]).toBe(2);
    levels.forEach((level, index) => {
      expect(level).toBeGreaterThanOrEqual(2);
      expect(level - (levels[index - 1] ?? 2)).toBeLessThanOrEqual(1);
    });
  });

  it("renders nothing that the CSP forbids", () => {
    expect(view.container.querySelectorAll("[style], style, script, iframe")).toHaveLength(0);
  });
});

describe("safety and legal information", () => {
  it.each(["safety-guide", "red-flags"] as const)("%s links to the national resources", async (slug) => {
    const { container } = await renderExisting(`/about-escort-babylon/${slug}`);
    const links = [...container.querySelectorAll("a")].map((anchor) => anchor.getAttribute("href"));
    for (const text of ["233733", "rainn.org", "tips.fbi.gov"]) expect(container.textContent).toContain(text);
    expect(container.textContent).not.toContain("Polaris");
    expect(container.querySelector("table a[href*='humantraffickinghotline.org']")).not.toBeNull();
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

  it("safety-guide says how to report something on this site", async () => {
    const { container } = await renderExisting("/about-escort-babylon/safety-guide");
    const row = [...container.querySelectorAll("tr")].find((line) => line.textContent.startsWith("Something on this"));
    expect(row?.querySelector("a")?.getAttribute("href")).toBe(`mailto:${DIRECTORY.contact}`);
    expect(row?.textContent).toContain("We remove intimate images within 48 hours of a valid request.");
    cleanup();
  });

  it("legal-guide says that it is not legal advice, and names the law", async () => {
    const { container } = await renderExisting("/about-escort-babylon/legal-guide");
    for (const text of [/isn’t legal advice/, /2421A/, /1591/, /Mann Act/, /Nevada/, /Maine/, /Section 230|Paxton/])
      expect(container.textContent).toMatch(text);
    cleanup();
  });
});
