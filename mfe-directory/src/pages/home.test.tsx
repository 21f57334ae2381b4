import { integrations } from "@colonnade/design/testing";
import type { RenderedPage } from "@colonnade/kit/testing";
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";

import { FAQ } from "../data/faq";
import { STATES } from "../data/states";
import { renderExisting, textOf } from "../testing/page";
import { page } from "./home";

// The place search loads its index once a visitor reaches it.
vi.stubGlobal("fetch", () => Promise.resolve(new Response("")));

function section(name: string): HTMLElement {
  return screen.getByRole("region", { name });
}

const WITH_SIGNUP = { site: { integrations: integrations({ host: "accounts.example.org" }) } };

describe("home page", () => {
  let view: RenderedPage;
  beforeAll(async () => {
    view = await renderExisting("/");
  });
  afterAll(cleanup);

  it("has a tile per state on a map, named by state, code and city count", () => {
    const map = within(screen.getByRole("navigation", { name: "Map of the states" }));
    const names = STATES.map(({ name, code, cityCount }) => `${code} ${String(cityCount)} cities in ${name}`);
    const targets = names.map((name) => map.getByRole("link", { name }).getAttribute("href"));
    expect(targets).toEqual(STATES.map(({ name }) => `/state/${encodeURIComponent(name)}`));
  });

  it("lists all 50 states alphabetically with links to their pages", () => {
    const links = within(section("Browse by state")).getAllByRole("link");
    expect(links.map(textOf)).toEqual(STATES.map((state) => state.name));
    expect(links.map((link) => link.getAttribute("href"))).toEqual(
      STATES.map(({ name }) => `/state/${encodeURIComponent(name)}`),
    );
    const rows = within(section("Browse by state")).getAllByRole("listitem").map(textOf);
    expect(rows).toEqual(STATES.map(({ name, cityCount }) => `${name}${String(cityCount)} cities`));
    const total = STATES.reduce((sum, { cityCount }) => sum + cityCount, 0).toLocaleString("en-US");
    expect(screen.getByText(new RegExp(`50 states, ${total} cities`))).toBeTruthy();
  });

  it("lists no cities that were not opened in this tab", () => {
    expect(screen.queryByText("Cities in this tab")).toBeNull();
  });

  it("links the guides before the states", () => {
    const guides = section("Stay safe, here or anywhere");
    expect(within(guides).getAllByRole("link").map(textOf)).toEqual([
      "Safety guide",
      "Red flags",
      "Legal guide",
      "All nine guides",
    ]);
    const isAfter = guides.compareDocumentPosition(section("Browse by state")) & Node.DOCUMENT_POSITION_FOLLOWING;
    expect(isAfter).toBeTruthy();
  });

  it("shows six benefits, each with a heading and text", () => {
    const benefits = within(section("What to expect")).getAllByRole("listitem");
    expect(benefits).toHaveLength(6);
    for (const benefit of benefits)
      expect([textOf(benefit.querySelector("h3")), textOf(benefit.querySelector("p"))]).not.toContain("");
  });

  it("labels its only testimonial as a sample by the site", () => {
    const testimonial = section("Sample testimonial");
    expect(textOf(testimonial)).toContain("Written by this site. No real person said it.");
    expect(testimonial.querySelectorAll("blockquote")).toHaveLength(1);
    expect(testimonial.querySelector("cite, img, svg, figcaption, meter")).toBeNull();
    expect(textOf(testimonial)).not.toMatch(/[★☆⭐]|stars?\b|\d\s*(\/|of|out of)\s*\d|\bI\b|\bmy\b/);
  });

  it("has ten collapsed questions with answers", () => {
    const entries = [...section("Questions and answers").querySelectorAll("details")];
    expect(entries.map((entry) => textOf(entry.querySelector("summary")))).toEqual(FAQ.map(({ question }) => question));
    for (const entry of entries) {
      expect(entry.open).toBe(false);
      expect(textOf(entry.querySelector("div")).length).toBeGreaterThan(80);
    }
  });

  it("starts with the search, then a link to the states", async () => {
    await userEvent.tab();
    expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Find a city or state" }));
    await userEvent.tab();
    expect(textOf(document.activeElement)).toBe("Choose a state");
    expect(document.activeElement?.getAttribute("href")).toBe("#states");
    expect(document.getElementById("states")).not.toBeNull();
  });

  it("is indexable and has the menu header", () => {
    const { head, layout } = view;
    expect(head.title).toBe("Test Site - Browse by State and City");
    expect(head.description).toContain("50 states");
    expect(head.canonical).toBe("/");
    expect(head.robots).toBeUndefined();
    expect(head.social).toEqual({ title: head.title, description: head.description, type: "website", url: "/" });
    expect(layout).toEqual({});
    expect(page.paths?.()).toEqual(["/"]);
  });
});

describe("cities in this tab", () => {
  afterEach(() => {
    cleanup();
    sessionStorage.clear();
  });

  it("are listed at the end of the page once their ads were opened", async () => {
    sessionStorage.setItem("ads:/city/Texas/Austin", "[]");
    sessionStorage.setItem("ads:/city/Illinois/Springfield", "[]");
    sessionStorage.setItem("other", "");
    const { container } = await renderExisting("/");
    const list = await screen.findByRole("region", { name: "Cities in this tab" });
    expect(
      within(list)
        .getAllByRole("link")
        .map((link) => [textOf(link), link.getAttribute("href")]),
    ).toEqual([
      ["Springfield, Illinois", "/city/Illinois/Springfield"],
      ["Austin, Texas", "/city/Texas/Austin"],
      ["What this site knows about you right now", "/privacy/receipt"],
    ]);
    expect(container.querySelector(".page")?.lastElementChild).toBe(list);
  });
});

describe("home page with other facts", () => {
  afterEach(cleanup);

  it("fills site facts into the answers", async () => {
    const { container } = await renderExisting("/", { site: { brand: "Some Brand", contact: "mail@some.example" } });
    expect(textOf(section("Questions and answers"))).toContain("Some Brand");
    const mails = [...container.querySelectorAll('a[href="mailto:mail@some.example"]')].map(textOf);
    expect(mails.length).toBeGreaterThan(0);
    expect(container.textContent).not.toMatch(/[{}]/);
  });

  it("ends with a button that opens the dialog", async () => {
    const { container } = await renderExisting("/", WITH_SIGNUP);
    const button = screen.getByRole("button", { name: "Join Free" });
    expect(button.closest("form")?.getAttribute("data-params")).toBe("reason=general");
    expect(container.querySelectorAll("form")).toHaveLength(1);
  });

  it("does not invite to sign up without a sign-up service", async () => {
    await renderExisting("/", WITH_SIGNUP);
    expect(textOf(section("Create a free account"))).toContain("an email address");
    expect(textOf(section("What to expect"))).toContain("form tells you who gets them");
    cleanup();
    await renderExisting("/");
    const text = textOf(section("Sign-up isn’t available"));
    expect(text).toContain("no sign-up service right now");
    expect(text).not.toMatch(/is free|takes|the form/i);
    expect(textOf(section("What to expect"))).not.toMatch(/the sign-up form/i);
    expect(textOf(section("What to expect"))).toContain("Right now no one does");
    expect(screen.queryByRole("button")).toBeNull();
  });
});
