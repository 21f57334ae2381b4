import { DIRECTORY } from "@colonnade/design/testing";
import { cleanup, screen, within } from "@testing-library/react";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { loadData, type RenderedPage } from "@colonnade/kit/testing";
import { isNotFound } from "@colonnade/kit";

import table from "../../data/us-cities.json";
import { statePath } from "../data/links";
import { STATES } from "../data/states";
import section from "../section";
import { renderExisting, textOf } from "../testing/page";
import { page } from "./state";

type StateData = Parameters<typeof page.head>[0]["data"];

function cards(container: HTMLElement): HTMLAnchorElement[] {
  return [...container.querySelectorAll<HTMLAnchorElement>('[aria-label^="Cities in"] li a[href^="/city"]')];
}

describe("state page", () => {
  let view: RenderedPage;
  beforeAll(async () => {
    view = await renderExisting("/state/Alabama");
  });
  afterAll(cleanup);

  it("names each state in title, description, heading, subtitle and footer", async () => {
    for (const { name, header, cityCount } of STATES) {
      const data = (await loadData(section, statePath(name))) as StateData;
      const { title, description } = page.head({ data, site: DIRECTORY });
      const subtitle = `Browse sample escort profiles in ${String(cityCount)} cities across ${name}`;
      expect([title, description]).toEqual([
        `Test Site - Listings in ${name}`,
        `${subtitle}. For adults, 18 or older.`,
      ]);
      expect(page.layout?.({ data })).toEqual({ header, footerNote: `Escorts in ${name} - 18+ only` });
    }
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Escorts in Alabama");
    expect(screen.getByText("Browse sample escort profiles in 40 cities across Alabama").tagName).toBe("P");
  });

  it("says that its ads are samples", () => {
    expect(screen.getByText(/sample ads, not real people/)).toBeTruthy();
  });

  it("shows breadcrumbs", () => {
    const breadcrumbs = within(screen.getByRole("navigation", { name: "Breadcrumb" }));
    expect(breadcrumbs.getAllByRole("listitem").map(textOf)).toEqual(["Home", "Alabama"]);
    expect(breadcrumbs.getByRole("link", { name: "Home" }).getAttribute("href")).toBe("/");
    expect(breadcrumbs.getByText("Alabama").getAttribute("aria-current")).toBe("page");
  });

  it("has a guide of three or four paragraphs with one link home", () => {
    const guide = screen.getByRole("region", { name: "About the ads in Alabama" });
    const paragraphs = guide.querySelectorAll(".prose p");
    expect(paragraphs.length).toBeGreaterThanOrEqual(3);
    expect(paragraphs.length).toBeLessThanOrEqual(4);
    expect(guide.querySelectorAll('.prose a[href="/"]')).toHaveLength(1);
    expect(guide.querySelector("header p")?.textContent).toBe("What these pages show, and what they don’t.");
    expect(guide.textContent).toContain("40 city pages for Alabama");
    expect(guide.textContent).not.toMatch(/[{}]/);
  });

  it("lists eight sample venues in cities of the state", () => {
    const groups = [...view.container.querySelectorAll("section h3")].map((heading) => heading.parentElement);
    expect(groups).toHaveLength(2);
    const venues = groups.flatMap((group) => [...(group?.querySelectorAll("li") ?? [])]);
    expect(venues).toHaveLength(8);
    for (const venue of venues) {
      const [name, label, street, city] = [...venue.children].map(textOf);
      expect(label).toBe("Sample venue");
      expect(name).toMatch(/\b(Sample|Placeholder|Specimen)\b/);
      expect(street).toMatch(/^0+ \w+ \w+$/);
      expect(table.Alabama).toContain(city?.replace(", Alabama", ""));
    }
    expect(new Set(venues.map((venue) => venue.lastElementChild?.textContent)).size).toBe(8);
  });

  it("attributes the city names", () => {
    expect(textOf(view.container)).toContain(
      "City names derived from GeoNames (https://www.geonames.org/), CC BY 4.0; filtered and edited.",
    );
  });
});

describe("other state pages", () => {
  afterEach(cleanup);

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

  it("has noindex,nofollow, canonical and social tags", async () => {
    const { head } = await renderExisting("/state/New%20York");
    expect(head).toMatchObject({
      canonical: "/state/New%20York",
      robots: "noindex,nofollow",
      social: { title: head.title, description: head.description, type: "website", url: "/state/New%20York" },
      breadcrumbs: [
        { label: "Home", path: "/" },
        { label: "New York", path: "/state/New%20York" },
      ],
    });
    expect(head.keywords).toContain("New York");
  });

  it("has a map with a text equivalent", async () => {
    await renderExisting("/state/Texas");
    const label = screen.getByRole("img", { name: /^Map of Texas with its 182 cities: / }).getAttribute("aria-label");
    expect(label).toContain("El Paso in the west");
  });

  it.each(["Texas", "Kansas"])("has names for wide screens and for phones on the map of %s", async (state) => {
    const { container } = await renderExisting(`/state/${state}`);
    const groups = [...container.querySelectorAll("figure svg g:has(text)")];
    expect(groups.map((group) => group.getAttribute("class"))).toEqual(["wide", "phone"]);
  });

  it.each([
    ["Alabama", ["under 50k residents", "50k+"]],
    ["California", ["under 50k residents", "50k+", "250k+"]],
  ])("says what the sizes of dots on the map of %s mean", async (state, sizes) => {
    const { container } = await renderExisting(`/state/${state}`);
    expect([...container.querySelectorAll("figcaption span")].map(textOf)).toEqual(sizes);
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
