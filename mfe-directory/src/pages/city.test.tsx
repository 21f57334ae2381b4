import { isNotFound } from "@colonnade/kit";
import { loadData } from "@colonnade/kit/testing";
import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ADS } from "../data/ads";
import section from "../section";
import { show, textOf } from "../testing/show";
import { page } from "./city";

const PATH = "/city/Alabama/Birmingham";

beforeEach(() => {
  sessionStorage.clear();
});
afterEach(cleanup);

describe("city page", () => {
  it("has the city and its state as heading", async () => {
    await show("/city/Hawaii/%E2%80%98Ewa%20Beach");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("‘Ewa Beach, Hawaii");
  });

  it("says that the listings are samples and no real people", async () => {
    const { container } = await show(PATH);
    expect(textOf(container.querySelector(".notice"))).toContain("are samples and no real people");
  });

  it("shows each ad with badge, age, tag, text and a reply that is for a sample", async () => {
    const { container } = await show(PATH);
    const byTitle = new Map([...ADS.featured, ...ADS.regular].map((ad) => [ad.title, ad]));
    const cards = [...container.querySelectorAll("article")];
    expect(cards.length).toBeGreaterThanOrEqual(30);
    for (const card of cards) {
      const ad = byTitle.get(textOf(card.querySelector("h2")));
      expect(textOf(card.querySelector(".badge.sample"))).toBe("Sample ad");
      expect(within(card).getByText(`Age ${String(ad?.age)}`).className).toBe("badge");
      expect(within(card).getByText("W4M")).toBeTruthy();
      expect(card.textContent).toContain(ad?.description ?? "no ad");
      const reply = within(card).getByRole("button", { name: "Reply to Ad 💬" });
      expect(reply.closest("form")?.getAttribute("data-join")).toBe("sample");
    }
  });

  it("names each ad by its heading, and says by it which one a reply is to", async () => {
    const { container } = await show(PATH);
    const headings = [...container.querySelectorAll("article h2")];
    expect(new Set(headings.map(({ id }) => id)).size).toBe(headings.length);
    for (const { id, parentElement } of headings) {
      const card = parentElement?.closest("article");
      expect(card?.getAttribute("aria-labelledby")).toBe(id);
      expect(card?.querySelector("button")?.getAttribute("aria-describedby")).toBe(id);
    }
  });

  it("labels the two featured ads, shows two pictures of each and links their titles to no page", async () => {
    const { container } = await show(PATH);
    const cards = [...container.querySelectorAll("article")];
    const labelled = cards.filter((card) => within(card).queryByText("most popular"));
    expect(labelled).toEqual(cards.slice(0, 2));
    for (const card of labelled) {
      expect(card.querySelector("h2 a")).toBeNull();
      const pictures = [...card.querySelectorAll("img")];
      expect(pictures.map((picture) => picture.alt)).toEqual(Array(2).fill("Abstract placeholder, not a photo"));
      expect(pictures.map((picture) => [picture.width, picture.height])).toEqual(Array(2).fill([320, 400]));
      // On the left: before the text.
      expect(card.firstElementChild?.querySelectorAll("img")).toHaveLength(2);
    }
    expect(container.querySelectorAll("img")).toHaveLength(4);
  });

  it("links each regular ad's title to its page", async () => {
    const { container } = await show("/city/Missouri/O'Fallon");
    const byTitle = new Map(ADS.regular.map((ad) => [ad.title, ad.id]));
    const links = [...container.querySelectorAll<HTMLAnchorElement>("article h2 a")];
    expect(links).toHaveLength(container.querySelectorAll("article").length - 2);
    for (const link of links) {
      expect(link.getAttribute("href")).toBe(`/city/Missouri/O'Fallon/ad/${String(byTitle.get(textOf(link)))}`);
    }
  });

  it("has a button for the next page that opens the dialog as for a sample", async () => {
    await show(PATH);
    const next = screen.getByRole("button", { name: "Next Page →" });
    expect(next.closest("form")?.getAttribute("data-join")).toBe("sample");
  });

  it("leads to help: the site's address and the hotlines", async () => {
    await show(PATH);
    const help = screen.getByRole("region", { name: "Report an ad" });
    expect(
      help.querySelector('a[href^="mailto:contact@site.example?subject=Report%20an%20ad%20in%20Birmingham"]'),
    ).toBeTruthy();
    expect(help.textContent).toContain("1-888-373-7888");
  });

  it("shows the way from home", async () => {
    await show(PATH);
    const trail = within(screen.getByRole("navigation", { name: "Breadcrumb" }));
    expect(trail.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual(["/", "/state/Alabama"]);
    expect(trail.getByText("Birmingham").getAttribute("aria-current")).toBe("page");
  });

  it("has a head that is not indexed", async () => {
    const { head, layout } = await show("/city/Missouri/St.%20Louis");
    expect(head).toMatchObject({
      title: "Test Directory - Listings in St. Louis, Missouri",
      canonical: "/city/Missouri/St.%20Louis",
      robots: "noindex",
      social: { type: "website", url: "/city/Missouri/St.%20Louis" },
    });
    expect(head.breadcrumbs?.map((crumb) => crumb.label)).toEqual(["Home", "Missouri", "St. Louis"]);
    expect(head.description).not.toMatch(/verified/i);
    expect(layout).toEqual({ header: "menu", footerNote: "18+ only" });
  });

  it("names a few paths as examples, each of a page that exists", async () => {
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
});
