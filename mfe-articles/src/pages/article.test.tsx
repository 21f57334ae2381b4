import { DIRECTORY } from "@colonnade/design/testing";
import { loadData, type RenderedPage } from "@colonnade/kit/testing";
import { isNotFound, type NotFound } from "@colonnade/kit";
import { cleanup } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import section from "../section";
import { renderExisting } from "../testing/page";
import { SLUGS, TITLES } from "../articles";
import { CARDS } from "../cards";
import { articlePage } from "./article";
import { page } from "./articles/safety-guide";

const PATH = "/about-escort-babylon/safety-guide";

describe("article", () => {
  let view: RenderedPage;
  beforeAll(async () => {
    view = await renderExisting(PATH);
  });
  afterAll(cleanup);

  it("text, title and sources are in the first render", () => {
    // The page has no Suspense boundary, so suspending would render nothing.
    const { container, getByRole } = view;
    expect(getByRole("heading", { level: 1 }).textContent).toBe("Safety guide");
    expect(container.querySelectorAll("h1")).toHaveLength(1);
    expect(container.querySelectorAll("article .prose h2").length).toBeGreaterThan(3);
    expect(getByRole("heading", { name: "Sources" })).toBeTruthy();
  });

  it("a link goes back to the hub", () => {
    expect(view.getByRole("link", { name: "All guides" }).getAttribute("href")).toBe("/about-escort-babylon");
  });

  it("both tables of contents link to every heading", () => {
    const headings = [...view.container.querySelectorAll(".prose h2")];
    const anchors = headings.map(({ id }) => `#${id}`);
    expect(anchors).toContain("#money-scams");
    const contents = view.container.querySelector("nav[aria-label='On this page']");
    for (const list of contents?.querySelectorAll("ol") ?? []) {
      const links = [...list.querySelectorAll("a")];
      expect(links.map((link) => link.getAttribute("href"))).toEqual(anchors);
      expect(links.map(({ textContent }) => textContent)).toEqual(headings.map(({ textContent }) => textContent));
    }
    expect(contents?.querySelectorAll("ol")).toHaveLength(2);
    const ids = [...view.container.querySelectorAll("[id]")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("the reading time is computed from the text", () => {
    const { container, getByText } = view;
    const words =
      container
        .querySelector(".prose")
        ?.innerHTML.replace(/<[^>]*>/g, " ")
        .match(/\w\S*/g)?.length ?? 0;
    expect(Number(getByText(/^\d+ min read/).textContent.split(" ")[0])).toBe(Math.round(words / 200));
  });

  it("says when its text changed, and no check that nobody made", () => {
    const { container } = view;
    expect(container.querySelector("header time")?.getAttribute("datetime")).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(container.querySelector("header")?.textContent).toMatch(/Updated [A-Z][a-z]+ \d+, \d{4}$/);
  });

  it("the head has all tags and breadcrumbs", () => {
    const { head, layout } = view;
    expect(head.title).toBe("Safety guide - Test Site");
    expect(head.description).toBeTruthy();
    expect(head.canonical).toBe(PATH);
    expect(head.robots).toBeUndefined();
    expect(head.social).toEqual({ title: "Safety guide", description: head.description, type: "article", url: PATH });
    expect(head.breadcrumbs?.at(-1)).toEqual({ label: "Safety guide", path: PATH });
    expect(layout).toEqual({});
  });
});

describe("other articles", () => {
  afterEach(cleanup);

  it("has a decorative picture of its own", async () => {
    const pictures = await Promise.all(
      [PATH, "/about-escort-babylon/red-flags"].map(async (path) => {
        const { container } = await renderExisting(path);
        return container.querySelector("header > svg[aria-hidden=true]")?.outerHTML.replaceAll(/_r_\w+_/g, "");
      }),
    );
    expect(pictures).not.toContain(undefined);
    expect(new Set(pictures).size).toBe(2);
  });

  it.each([
    ["what-is-escort-babylon", ["Next How to compare platforms"]],
    ["safety-guide", ["Previous How to compare platforms", "Next Top cities, and what the lists mean"]],
    ["escort-experiences", ["Previous Red flags"]],
  ])("%s links to the previous and next article", async (slug, expected) => {
    const { getByRole } = await renderExisting(`/about-escort-babylon/${slug}`);
    const links = [...getByRole("navigation", { name: "More guides" }).querySelectorAll("a")];
    expect(links.map(({ textContent }) => textContent)).toEqual(expected);
  });

  it("link texts match the titles in the Markdown files", () => {
    expect(CARDS.map(({ slug, title }) => [slug, title])).toEqual(Object.entries(TITLES));
  });

  it("data is JSON-serializable and excludes the text", async () => {
    const data = await loadData(section, PATH);
    expect(JSON.parse(JSON.stringify(data))).toEqual(data);
    expect(Object.keys(data as object)).toEqual(["title", "description", "updated", "sources"]);
  });

  it.each(["no-such-article", "Safety-Guide", "constructor", "__proto__", "safety-guide.md"])(
    "unknown article %s is not found",
    async (slug) => {
      const data = await loadData(section, `/about-escort-babylon/${slug}`);
      expect(isNotFound(data)).toBe(true);
      expect((data as NotFound).heading).toBe("Guide not found");
    },
  );

  it("facts in the front matter are filled in, in page and head", () => {
    const data = {
      title: "About {brand}",
      description: "Write to {contact}.",
      updated: "2026-01-31",
      sources: [],
    } as const;
    const { title, description } = page.head({ data, site: DIRECTORY });
    expect(title).toBe("About Test Site - Test Site");
    expect(description).toBe("Write to contact@site.example.");
  });

  it("every article has a page with its own path", () => {
    expect(page.paths?.()).toEqual([PATH]);
    expect(Object.keys(section.pages).slice(1, -1)).toEqual(SLUGS.map((slug) => `/about-escort-babylon/${slug}`));
  });

  it("invalid front matter throws with the article's file name", () => {
    const broken = articlePage("red-flags", { default: () => <></>, frontmatter: {} });
    expect(() => broken.data({ params: {}, site: DIRECTORY })).toThrow('content/red-flags.md: "title" is missing');
  });
});
