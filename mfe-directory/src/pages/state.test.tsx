import { cleanup, screen, within } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";

import { loadData } from "@colonnade/kit/testing";
import { isNotFound } from "@colonnade/kit";

import table from "../../data/us-cities.json";
import { STATES } from "../data/states";
import section from "../section";
import { renderExisting, textOf } from "../testing/page";
import { page } from "./state";

afterEach(cleanup);

function cards(container: HTMLElement): HTMLAnchorElement[] {
  return [...container.querySelectorAll<HTMLAnchorElement>('[aria-label^="Cities in"] li a[href^="/city"]')];
}

describe("state page", () => {
  it("has the sample wording in heading, title and footer", async () => {
    const { head, layout } = await renderExisting("/state/Alabama");
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Escorts in Alabama");
    expect(screen.getByText("Browse sample escort profiles in 40 cities across Alabama").tagName).toBe("P");
    expect(head.title).toBe("Test Directory - Listings in Alabama");
    expect(layout.footerNote).toBe("Escorts in Alabama - 18+ only");
  });

  it("says that its listings are samples", async () => {
    await renderExisting("/state/Alabama");
    expect(screen.getByText(/sample listings, not real people/)).toBeTruthy();
  });

  it.each(["Alabama", "California", "New York", "Hawaii"] as const)(
    "shows every city of %s as a row",
    async (state) => {
      const { container } = await renderExisting(`/state/${encodeURIComponent(state)}`);
      const links = cards(container);
      expect(links.map((link) => link.querySelector("strong")?.textContent)).toEqual(table[state]);
      expect(links.map((link) => link.getAttribute("href"))).toEqual(
        table[state].map((city) => `/city/${encodeURIComponent(state)}/${encodeURIComponent(city)}`),
      );
      expect(links.filter((link) => link.rel !== "nofollow")).toEqual([]);
      expect(links.map(textOf)).toEqual(table[state].map((city) => `${city} ${state} Browse Escorts`));
    },
  );

  it("shows the city count in subtitle and descriptions", async () => {
    const { head } = await renderExisting("/state/California");
    expect(screen.getByText("Browse sample escort profiles in 371 cities across California")).toBeTruthy();
    expect(head.description).toContain("371 cities");
    expect(head.social?.description).toContain("371 cities");
  });

  it("has noindex,nofollow, canonical and social tags", async () => {
    const { head } = await renderExisting("/state/New%20York");
    expect(head).toMatchObject({
      canonical: "/state/New%20York",
      robots: "noindex,nofollow",
      social: { title: head.title, type: "website", url: "/state/New%20York" },
      breadcrumbs: [
        { label: "Home", path: "/" },
        { label: "New York", path: "/state/New%20York" },
      ],
    });
    expect(head.keywords).toContain("New York");
  });

  it("has the state's header", async () => {
    for (const { name, header } of STATES.filter((_, index) => index % 12 === 0).concat(
      STATES.filter((state) => state.header !== "menu"),
    )) {
      const { layout } = await renderExisting(`/state/${encodeURIComponent(name)}`);
      expect([name, layout.header]).toEqual([name, header]);
      cleanup();
    }
  });

  it("shows breadcrumbs", async () => {
    await renderExisting("/state/Alabama");
    const breadcrumbs = within(screen.getByRole("navigation", { name: "Breadcrumb" }));
    expect(breadcrumbs.getAllByRole("listitem").map(textOf)).toEqual(["Home", "Alabama"]);
    expect(breadcrumbs.getByRole("link", { name: "Home" }).getAttribute("href")).toBe("/");
    expect(breadcrumbs.getByText("Alabama").getAttribute("aria-current")).toBe("page");
  });

  it("has a guide of three or four paragraphs with one link home", async () => {
    await renderExisting("/state/Alabama");
    const guide = screen.getByRole("region", { name: "About listings in Alabama" });
    const paragraphs = guide.querySelectorAll(".prose p");
    expect(paragraphs.length).toBeGreaterThanOrEqual(3);
    expect(paragraphs.length).toBeLessThanOrEqual(4);
    expect(guide.querySelectorAll('.prose a[href="/"]')).toHaveLength(1);
    expect(guide.querySelector("header p")?.textContent).toBe("What these pages show, and what they don’t.");
    expect(guide.textContent).toContain("40 city pages for Alabama");
    expect(guide.textContent).not.toMatch(/[{}]/);
  });

  it("lists eight sample venues in cities of the state", async () => {
    const { container } = await renderExisting("/state/Alabama");
    const groups = [...container.querySelectorAll("section h3")].map((heading) => heading.parentElement);
    expect(groups).toHaveLength(2);
    const venues = groups.flatMap((group) => [...(group?.querySelectorAll("li") ?? [])]);
    expect(venues).toHaveLength(8);
    for (const venue of venues) {
      const [name, label, street, city] = [...venue.children].map(textOf);
      expect(label).toBe("Sample venue");
      expect(name).not.toBe("");
      expect(street).toMatch(/^0+ /);
      expect(table.Alabama).toContain(city?.replace(", Alabama", ""));
    }
    expect(new Set(venues.map((venue) => venue.lastElementChild?.textContent)).size).toBe(8);
  });

  it("has a map with a text equivalent", async () => {
    await renderExisting("/state/Texas");
    const label = screen.getByRole("img", { name: /^Map of Texas with its 182 cities: / }).getAttribute("aria-label");
    expect(label).toContain("El Paso in the west");
  });

  it("links the largest cities with their populations", async () => {
    await renderExisting("/state/Texas");
    const links = within(screen.getByRole("list", { name: "Largest cities" })).getAllByRole("link");
    expect(links.map(textOf)).toEqual([
      "Houston 2,314,157",
      "San Antonio 1,526,656",
      "Dallas 1,326,087",
      "Fort Worth 1,008,106",
      "Austin 974,447",
      "El Paso 678,815",
    ]);
    expect(links[1]?.getAttribute("href")).toBe("/city/Texas/San%20Antonio");
    expect(screen.getByText(/^Population: GeoNames \(no year given\)/)).toBeTruthy();
  });

  it.each([
    ["Alaska", "western Aleutian Islands"],
    ["Hawaii", "northwestern islands"],
    ["New York", "part of New York City"],
  ])("says what is special about the map of %s", async (state, note) => {
    await renderExisting(`/state/${encodeURIComponent(state)}`);
    expect(screen.getByText(/^Population:/).textContent).toContain(note);
  });

  it("attributes the city names", async () => {
    const { container } = await renderExisting("/state/Alabama");
    expect(textOf(container)).toContain(
      "City names derived from GeoNames (https://www.geonames.org/), CC BY 4.0; filtered and edited.",
    );
  });

  it("has a path for each of the 50 states", () => {
    expect(page.paths?.()).toEqual(STATES.map(({ name }) => `/state/${encodeURIComponent(name)}`));
  });

  it.each(["/state/Nowhere", "/state/alabama", "/state/New%2520York", "/state/constructor"])(
    "%s is 'State not found'",
    async (path) => {
      const data = await loadData(section, path);
      expect(isNotFound(data) && data.heading).toBe("State not found");
    },
  );
});
