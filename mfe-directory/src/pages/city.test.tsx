import { isNotFound, type NotFound } from "@colonnade/kit";
import { loadData, type RenderedPage } from "@colonnade/kit/testing";
import { cleanup, screen, within } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { ADS } from "../data/ads";
import section from "../section";
import { renderExisting, textOf } from "../testing/page";
import { page } from "./city";

const PATH = "/city/Alabama/Birmingham";

describe("city page", () => {
  let view: RenderedPage;
  beforeAll(async () => {
    view = await renderExisting(PATH);
  });
  afterAll(cleanup);

  it("has a map with a text equivalent, and the population with its source", () => {
    const map = screen.getByRole("img", { name: "Map: Birmingham is in the north of Alabama." });
    expect(map.querySelector("circle")).toBeNull();
    expect(textOf(screen.getByText("196,357").parentElement)).toBe(
      "196,357 residents GeoNames, CC BY 4.0 (no year given)",
    );
  });

  it("links the nearest cities with their distances", () => {
    const links = within(screen.getByRole("list", { name: "Nearby cities" })).getAllByRole("link");
    expect(links.map(textOf)).toEqual([
      "Mountain Brook 3 mi",
      "Homewood 3 mi",
      "Vestavia Hills 5 mi",
      "Hoover 8 mi",
      "Center Point 11 mi",
      "Bessemer 12 mi",
    ]);
    expect(links[0]?.getAttribute("href")).toBe("/city/Alabama/Mountain%20Brook");
  });

  it("says that the ads are samples and no real people, before the first one", () => {
    const [notice, ad] = view.container.querySelectorAll(".notice, article");
    expect(textOf(notice ?? null)).toContain("sample ads, not real people");
    expect(ad?.matches("article")).toBe(true);
  });

  it("shows each ad's badge, age, tag, text and reply button", () => {
    const byTitle = new Map([...ADS.featured, ...ADS.regular].map((ad) => [ad.title, ad]));
    const cards = [...view.container.querySelectorAll("article")];
    expect(cards.length).toBeGreaterThanOrEqual(30);
    for (const card of cards) {
      const ad = byTitle.get(textOf(card.querySelector("h3")));
      expect(textOf(card.querySelector(".badge.sample"))).toBe("Sample ad");
      expect(within(card).getByText(`Age ${String(ad?.age)}`).className).toBe("badge");
      expect(within(card).getByText("W4M")).toBeTruthy();
      expect(card.textContent).toContain(ad?.description ?? "no ad");
      const reply = within(card).getByRole("button", { name: "Reply to Ad 💬" });
      expect(reply.closest("form")?.getAttribute("data-params")).toBe("reason=sample");
    }
  });

  it("labels ads and describes reply buttons by the heading", () => {
    const headings = [...view.container.querySelectorAll("article h3")];
    expect(new Set(headings.map(({ id }) => id)).size).toBe(headings.length);
    for (const { id, parentElement } of headings) {
      const card = parentElement?.closest("article");
      expect(card?.getAttribute("aria-labelledby")).toBe(id);
      expect(card?.querySelector("button")?.getAttribute("aria-describedby")).toBe(id);
    }
  });

  it("labels two featured ads, with pictures and unlinked titles", () => {
    const cards = [...view.container.querySelectorAll("article")];
    const labeled = cards.filter((card) => within(card).queryByText("most popular"));
    expect(labeled).toEqual(cards.slice(0, 2));
    for (const card of labeled) {
      expect(card.querySelector("h3 a")).toBeNull();
      const pictures = [...card.querySelectorAll("img")];
      expect(pictures.map((picture) => picture.alt)).toEqual(Array(2).fill("Abstract placeholder, not a photo"));
      expect(pictures.map((picture) => [picture.width, picture.height])).toEqual(Array(2).fill([320, 400]));
      // Pictures come before the text.
      expect(card.firstElementChild?.querySelectorAll("img")).toHaveLength(2);
    }
    expect(view.container.querySelectorAll("img")).toHaveLength(4);
  });

  it("has a next-page button that opens the sample dialog", () => {
    const next = screen.getByRole("button", { name: "Next Page →" });
    expect(next.closest("form")?.getAttribute("data-params")).toBe("reason=sample");
  });

  it("has the report section with contact address and hotlines", () => {
    const help = screen.getByRole("region", { name: "Report an ad" });
    expect(
      help.querySelector('a[href^="mailto:contact@site.example?subject=Report%20an%20ad%20in%20Birmingham"]'),
    ).toBeTruthy();
    expect(help.textContent).toContain("1-888-373-7888");
  });

  it("shows breadcrumbs", () => {
    const breadcrumbs = within(screen.getByRole("navigation", { name: "Breadcrumb" }));
    expect(breadcrumbs.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/", "/state/Alabama"]);
    expect(breadcrumbs.getByText("Birmingham").getAttribute("aria-current")).toBe("page");
  });
});

describe("other city pages", () => {
  afterEach(cleanup);

  it("has the city and its state as heading", async () => {
    await renderExisting("/city/Hawaii/%E2%80%98Ewa%20Beach");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("‘Ewa Beach, Hawaii");
  });

  it("says that distances between islands are by air", async () => {
    await renderExisting("/city/Hawaii/Hilo");
    expect(screen.getByRole("list", { name: "Nearby cities by air" })).toBeTruthy();
  });

  it("names the state of a nearest city in another state", async () => {
    await renderExisting("/city/Missouri/Kansas%20City");
    const link = within(screen.getByRole("list", { name: "Nearby cities" })).getByRole("link", {
      name: /^Kansas City, KS/,
    });
    expect(link.getAttribute("href")).toBe("/city/Kansas/Kansas%20City");
  });

  it("says that a ring goes around the nearby cities where it is large enough", async () => {
    await renderExisting("/city/Alaska/Juneau");
    const map = screen.getByRole("img", {
      name: /^Map: Juneau .* of Alaska\. A ring goes around the nearby cities\.$/,
    });
    expect(map.querySelector("circle")).toBeTruthy();
  });

  it("links each regular ad's title to its page", async () => {
    const { container } = await renderExisting("/city/Missouri/O'Fallon");
    const byTitle = new Map(ADS.regular.map((ad) => [ad.title, ad.id]));
    const links = [...container.querySelectorAll<HTMLAnchorElement>("article h3 a")];
    expect(links).toHaveLength(container.querySelectorAll("article").length - 2);
    for (const link of links) {
      expect(link.getAttribute("href")).toBe(`/city/Missouri/O'Fallon/ad/${String(byTitle.get(textOf(link)))}`);
    }
  });

  it("has noindex", async () => {
    const { head, layout } = await renderExisting("/city/Missouri/St.%20Louis");
    expect(head).toMatchObject({
      title: "Test Site - Listings in St. Louis, Missouri",
      canonical: "/city/Missouri/St.%20Louis",
      robots: "noindex",
      social: { type: "website", url: "/city/Missouri/St.%20Louis" },
    });
    expect(head.breadcrumbs?.map((breadcrumb) => breadcrumb.label)).toEqual(["Home", "Missouri", "St. Louis"]);
    expect(head.description).not.toMatch(/verified/i);
    expect(layout).toEqual({});
  });

  it("has example paths of existing pages", async () => {
    const paths = page.paths?.() ?? [];
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) expect(isNotFound(await loadData(section, path))).toBe(false);
  });

  it.each([
    "/city/Alabama/Nowhere",
    "/city/Alabama/birmingham",
    "/city/Nowhere/Birmingham",
    "/city/Ohio/Birmingham",
    "/city/Alabama/Birmingham%20",
  ])("%s is 'City not found'", async (path) => {
    const data = await loadData(section, path);
    expect(isNotFound(data) && data.heading).toBe("City not found");
  });

  it.each([
    ["/city/Ohio/Birmingham", { label: "All cities in Ohio", path: "/state/Ohio" }],
    ["/city/Nowhere/Birmingham", undefined],
  ])("%s links %j", async (path, link) => {
    expect(((await loadData(section, path)) as NotFound).link).toEqual(link);
  });
});
