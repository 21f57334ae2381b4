import { TEST_SITE } from "@colonnade/kit/testing";
import { cleanup, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FAQ } from "../data/faq";
import { STATES } from "../data/states";
import { renderExisting, textOf } from "../testing/page";
import { page } from "./home";

// The place search loads its index once a visitor reaches it.
beforeEach(() => {
  vi.stubGlobal("fetch", () => Promise.resolve(new Response("")));
});
afterEach(() => {
  vi.unstubAllGlobals();
  cleanup();
});

function section(name: string): HTMLElement {
  return screen.getByRole("region", { name });
}

describe("home page", () => {
  it("has a tile per state on a map, named by state, code and city count", async () => {
    await renderExisting("/");
    const map = within(screen.getByRole("navigation", { name: "Map of the states" }));
    const names = STATES.map(({ name, code, cityCount }) => `${code} ${String(cityCount)} cities in ${name}`);
    for (const name of names) expect(map.getByRole("link", { name })).toBeTruthy();
    expect(map.getByRole("link", { name: "TX 182 cities in Texas" }).getAttribute("href")).toBe("/state/Texas");
  });

  it("lists all 50 states alphabetically with links to their pages", async () => {
    await renderExisting("/");
    const links = within(section("Browse by state")).getAllByRole("link");
    expect(links.map(textOf)).toEqual(STATES.map((state) => state.name));
    expect(links.map((link) => link.getAttribute("href"))).toEqual(
      STATES.map(({ name }) => `/state/${encodeURIComponent(name)}`),
    );
    expect(links.find((link) => textOf(link) === "New York")?.getAttribute("href")).toBe("/state/New%20York");
  });

  it("starts with its only h1 and skips no heading level", async () => {
    const { container } = await renderExisting("/");
    const levels = [...container.querySelectorAll("h1, h2, h3, h4")].map((heading) => Number(heading.tagName.slice(1)));
    expect(levels[0]).toBe(1);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, index) => level <= (levels[index - 1] ?? 0) + 1)).toBe(true);
  });

  it("shows benefits", async () => {
    await renderExisting("/");
    expect(within(section("What to expect")).getAllByRole("heading", { level: 3 }).length).toBeGreaterThanOrEqual(3);
  });

  it("labels its only testimonial as a sample by the site", async () => {
    await renderExisting("/");
    const testimonial = section("Sample testimonial");
    expect(textOf(testimonial)).toContain("Written by this site. No real person said it.");
    expect(testimonial.querySelectorAll("blockquote")).toHaveLength(1);
    expect(testimonial.querySelector("cite, img, svg, figcaption, meter")).toBeNull();
    expect(textOf(testimonial)).not.toMatch(/★|stars?\b|out of 5/i);
  });

  it("has ten collapsed questions with answers", async () => {
    await renderExisting("/");
    const entries = [...section("Questions and answers").querySelectorAll("details")];
    expect(entries.map((entry) => textOf(entry.querySelector("summary")))).toEqual(FAQ.map(({ question }) => question));
    for (const entry of entries) {
      expect(entry.open).toBe(false);
      expect(textOf(entry.querySelector("div")).length).toBeGreaterThan(80);
    }
  });

  it("fills site facts into the answers", async () => {
    const { container } = await renderExisting("/", { site: { brand: "Some Brand", contact: "mail@some.example" } });
    expect(textOf(section("Questions and answers"))).toContain("Some Brand");
    const mails = [...container.querySelectorAll('a[href="mailto:mail@some.example"]')].map(textOf);
    expect(mails.length).toBeGreaterThan(0);
    expect(container.textContent).not.toMatch(/[{}]/);
  });

  it("ends with a button that opens the dialog", async () => {
    const { container } = await renderExisting("/", {
      site: { signup: { ...TEST_SITE.signup, host: "accounts.example.org" } },
    });
    const button = screen.getByRole("button", { name: "Join Free" });
    expect(button.closest("form")?.getAttribute("data-join")).toBe("general");
    expect(container.querySelectorAll("form")).toHaveLength(1);
  });

  it("does not invite to sign up without a sign-up service", async () => {
    const connected = { ...TEST_SITE.signup, host: "accounts.example.org" };
    await renderExisting("/", { site: { signup: connected } });
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

  it("starts with the search, then a link to the states", async () => {
    await renderExisting("/");
    await userEvent.tab();
    expect(document.activeElement).toBe(screen.getByRole("combobox", { name: "Find a city or state" }));
    await userEvent.tab();
    expect(textOf(document.activeElement)).toBe("Choose a state");
    expect(document.activeElement?.getAttribute("href")).toBe("#states");
    expect(document.getElementById("states")).not.toBeNull();
  });

  it("is indexable and has the menu header", async () => {
    const { head, layout } = await renderExisting("/");
    expect(head.title).toBe("Test Directory - Browse by State and City");
    expect(head.description).toContain("50 states");
    expect(head.canonical).toBe("/");
    expect(head.robots).toBeUndefined();
    expect(head.social).toEqual({ title: head.title, description: head.description, type: "website", url: "/" });
    expect(layout).toEqual({ header: "menu", footerNote: "18+ only" });
    expect(page.paths?.()).toEqual(["/"]);
  });

  it("makes no claim of verification or reviews", async () => {
    const { container, head } = await renderExisting("/");
    const faq = textOf(section("Questions and answers"));
    const rest = textOf(container).replace(faq, "");
    expect(`${rest} ${head.title} ${head.description}`).not.toMatch(/verified|real reviews|rated/i);
  });
});
