import { isNotFound, isRedirect, type QueryResult } from "@colonnade/kit";
import { loadData, renderExtension, renderPage, type RenderedPage, type RenderOptions } from "@colonnade/kit/testing";
import { cleanup, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { AS_OF, city as CITY, event as EVENT } from "./examples";
import { page as listPage } from "./pages/list";
import section from "./section";

const TODAY = "2026-11-24";
const LISTING = { asOf: AS_OF, city: CITY, total: 1, page: 1, pages: 1, events: [EVENT] };
const DETAIL = { asOf: AS_OF, city: CITY, event: { ...EVENT, address: "000 Sample Street", capacity: 24 } };
const EVENT_PATH = "/events/portland/event/7";

const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>();

beforeEach(() => {
  fetched.mockReset().mockImplementation(() => Promise.resolve(Response.json({ left: 3, capacity: 24 })));
  vi.stubGlobal("fetch", fetched);
  vi.useFakeTimers({ toFake: ["Date"], now: new Date(AS_OF) });
});

afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function optionsOf(results: Readonly<Record<string, unknown>>): RenderOptions {
  const entries = Object.entries(results).map(([name, value]): [string, QueryResult] => [
    name,
    typeof value === "number" ? { ok: false, status: value } : { ok: true, value },
  ]);
  return { site: { today: TODAY }, results: Object.fromEntries(entries) };
}

/** Renders a page with results of its queries: values, or statuses of failures. */
async function open(path: string, results: Readonly<Record<string, unknown>>): Promise<RenderedPage> {
  const page = await renderPage(section, path, optionsOf(results));
  if (isNotFound(page)) throw new Error(page.heading);
  return page;
}

function load(path: string, results: Readonly<Record<string, unknown>>): Promise<unknown> {
  return loadData(section, path, optionsOf(results));
}

describe("cities", () => {
  test("each links to its events, with their number", async () => {
    const cities = [
      { ...CITY, events: 48 },
      { slug: "new-orleans", name: "New Orleans", state: "Louisiana", events: 0 },
    ];
    await open("/events", { cities: { asOf: AS_OF, cities } });
    expect(screen.getByRole("link", { name: "New Orleans" }).getAttribute("href")).toBe("/events/new-orleans");
    expect(screen.getAllByText(/events$/).map((text) => text.textContent)).toEqual(["48 events", "No events"]);
  });
});

describe("list", () => {
  test("asks for the events of the page, from today on", () => {
    const [params, search] = [{ city: "new orleans" }, { page: 2 }];
    const site = { today: TODAY } as Parameters<NonNullable<typeof listPage.queries>>[0]["site"];
    expect(listPage.queries?.({ params, search, site }).listing.path).toBe(
      "/api/events/cities/new%20orleans?from=2026-11-24&page=2",
    );
  });

  test("shows events by day, labeled as samples", async () => {
    const events = [EVENT, { ...EVENT, id: 8, date: "2026-11-26", time: "09:00", title: "Bread" }];
    const { head } = await open("/events/portland", { listing: { ...LISTING, total: 2, events } });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("What’s on in Portland");
    expect(screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent)).toEqual([
      "Today, Tue, November 24",
      "Thursday, November 26",
    ]);
    const card = within(screen.getAllByRole("article")[0] ?? document.body);
    expect(card.getByRole("link").getAttribute("href")).toBe(EVENT_PATH);
    for (const text of ["6:30 PM", "Sample event", "Sample venue", "Games"]) expect(card.getByText(text)).toBeTruthy();
    expect(screen.getByText(/All events and venues here are samples/)).toBeTruthy();
    expect(head).toMatchObject({
      title: "What’s on in Portland - Test Site",
      canonical: "/events/portland",
      robots: "noindex",
    });
    expect(head.breadcrumbs?.map(({ label }) => label)).toEqual(["Home", "What’s on", "Portland"]);
  });

  test("links the pages before and after it", async () => {
    const { head } = await open("/events/portland?page=2", { listing: { ...LISTING, page: 2, pages: 3 } });
    const pages = within(screen.getByRole("navigation", { name: "Pages" }));
    expect(pages.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
      "/events/portland",
      "/events/portland?page=3",
    ]);
    expect(head.canonical).toBe("/events/portland?page=2");
    expect(head.title).toBe("What’s on in Portland, page 2 - Test Site");
  });

  test("an empty city offers others", async () => {
    await open("/events/portland", { listing: { ...LISTING, total: 0, events: [] } });
    expect(screen.getByText("Nothing is on in Portland")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Other cities" })).toBeTruthy();
  });

  test.each([
    ["a failed query", 503],
    ["a response that does not fit", { ...LISTING, events: [{ ...EVENT, date: "soon" }] }],
  ])("%s leaves a page that offers another attempt", async (_, listing) => {
    const { head } = await open("/events/portland", { listing });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("What’s on");
    expect(screen.getByText("The events are unavailable right now")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Try again" }).getAttribute("href")).toBe("/events/portland");
    expect(head.title).toBe("What’s on - Test Site");
  });

  test("cities and pages that do not exist are not found", async () => {
    expect(await load("/events/atlantis", { listing: 404 })).toEqual({ heading: "City not found" });
    expect(await load("/events/portland?page=99", { listing: 404 })).toEqual({ heading: "Page not found" });
    expect(await load("/events/portland?page=0", {})).toEqual({ heading: "Page not found" });
  });

  test("data that is old says so", async () => {
    vi.setSystemTime(new Date("2026-11-24T14:09:59Z"));
    await open("/events/portland", { listing: LISTING });
    expect(screen.getByText("2:05 PM UTC").getAttribute("datetime")).toBe(AS_OF);
    cleanup();
    vi.setSystemTime(new Date("2026-11-24T14:17:00Z"));
    await open("/events/portland", { listing: LISTING });
    expect(screen.getByText("12 minutes old")).toBeTruthy();
    expect(screen.getByRole("status").textContent).toBe("This may be out of date.");
    expect(screen.getByRole("link", { name: "Load again" }).getAttribute("href")).toBe("/events/portland");
  });
});

describe("the extension of a city's page", () => {
  const PORTLAND = { state: "Oregon", city: "Portland" };
  const show = (listing: unknown, props = PORTLAND) =>
    renderExtension(section, "directory/city-aside@1", props, optionsOf({ listing }));

  test("shows the next three events, labeled as samples", async () => {
    const dates = [TODAY, "2026-11-25", "2026-11-26", "2026-11-27"];
    const events = dates.map((date, index) => ({ ...EVENT, date, id: index + 1 }));
    const view = await show({ ...LISTING, total: 4, events });
    const aside = within(screen.getByRole("complementary", { name: "What’s on in Portland" }));
    expect(aside.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
      "Board games after workSample eventToday, 6:30 PM",
      "Board games after workSample eventTomorrow, 6:30 PM",
      "Board games after workSample eventThursday, November 26, 6:30 PM",
    ]);
    expect(aside.getByText("These events are samples. None of them takes place.")).toBeTruthy();
    expect(aside.getAllByRole("link").map((link) => link.getAttribute("href"))).toEqual([
      ...[1, 2, 3].map((id) => `/events/portland/event/${String(id)}`),
      "/events/portland",
    ]);
    expect(JSON.stringify(view?.data)).not.toContain(EVENT.summary);
  });

  test("labels no real event as a sample", async () => {
    await show({ ...LISTING, events: [{ ...EVENT, sample: false }] });
    expect(screen.queryByText(/sample/i)).toBeNull();
  });

  test.each([
    ["a city without events", { ...LISTING, total: 0, events: [] }, PORTLAND],
    ["a city of this name in another state", LISTING, { state: "Maine", city: "Portland" }],
    ["another city with this slug", LISTING, { state: "Oregon", city: "Portland." }],
    ["an unknown city", 404, { state: "Texas", city: "Waco" }],
    ["an API that is down", 503, PORTLAND],
  ])("shows nothing for %s", async (_, listing, props) => {
    expect(await show(listing, props)).toBeNull();
  });
});

describe("event", () => {
  test("shows everything, and the places that are left", async () => {
    const { head } = await open(EVENT_PATH, { event: DETAIL });
    expect(screen.getByRole("heading", { level: 1 }).textContent).toBe("Board games after work");
    for (const text of ["Tuesday, November 24, 6:30 PM", "Sample event", "Sample venue", /000 Sample Street, Portland/])
      expect(screen.getByText(text)).toBeTruthy();
    expect(await screen.findByText("3 left right now")).toBeTruthy();
    expect(fetched.mock.calls.map(([path]) => path)).toEqual(["/api/events/7/places"]);
    expect(head.canonical).toBe(EVENT_PATH);
  });

  test("places that cannot be counted are counted again on request", async () => {
    fetched.mockResolvedValueOnce(Response.json({ error: "" }, { status: 503 }));
    await open(EVENT_PATH, { event: DETAIL });
    await userEvent.click(await screen.findByRole("button", { name: "Count again" }));
    const left = await screen.findByText("3 left right now");
    // Loading removes the button. Its focus stays at this place.
    expect(document.activeElement).toBe(left.parentElement);
  });

  test("an RSVP says what becomes of it, and counts the places again", async () => {
    await open(EVENT_PATH, { event: DETAIL });
    await screen.findByText("3 left right now");
    expect(screen.getByText(/Your RSVP stays in its API/)).toBeTruthy();
    fetched.mockImplementation((path) =>
      Promise.resolve(Response.json(path.endsWith("/rsvps") ? { places: 2, left: 1 } : { left: 1, capacity: 24 })),
    );
    await userEvent.type(screen.getByLabelText("Email"), "ada@example.com");
    await userEvent.clear(screen.getByLabelText("Places"));
    await userEvent.type(screen.getByLabelText("Places"), "2");
    await userEvent.click(screen.getByRole("button", { name: "RSVP" }));
    expect(await screen.findByText("You have 2 places")).toBeTruthy();
    expect(await screen.findByText("1 left right now")).toBeTruthy();
    const [path, init] = fetched.mock.calls.find(([path]) => path.endsWith("/rsvps")) ?? [];
    expect(path).toBe("/api/events/7/rsvps");
    expect(init?.body).toEqual(new URLSearchParams({ email: "ada@example.com", places: "2" }));
  });

  test("another city or id leads to its only path, and an unknown event is not found", async () => {
    for (const path of ["/events/austin/event/7", "/events/portland/event/007"]) {
      const data = await load(path, { event: DETAIL });
      expect(isRedirect(data) && data.path, path).toBe(EVENT_PATH);
    }
    expect(await load("/events/portland/event/8", { event: 404 })).toEqual({ heading: "Event not found" });
  });

  test("an event before today takes no RSVPs", async () => {
    await open(EVENT_PATH, { event: { ...DETAIL, event: { ...DETAIL.event, date: "2026-11-23" } } });
    expect(screen.getByText("This event is over")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "RSVP" })).toBeNull();
  });

  test("a failed query leaves a page that offers another attempt", async () => {
    await open(EVENT_PATH, { event: 504 });
    expect(screen.getByText("This event is unavailable right now")).toBeTruthy();
  });
});

describe("outcome of an RSVP without JavaScript", () => {
  test.each([
    ["received", "The RSVP was received", 0],
    ["invalid", "The RSVP was not valid", 1],
    ["full", "Not enough places are left", 1],
    ["over", "This event is over", 0],
  ])("%s", async (outcome, title, forms) => {
    const { head } = await open(`${EVENT_PATH}/rsvp/${outcome}`, { event: DETAIL });
    expect(screen.getByText(title)).toBeTruthy();
    expect(screen.queryAllByRole("button", { name: "RSVP" })).toHaveLength(forms);
    expect(head).toMatchObject({ title: `${title}: Board games after work - Test Site`, canonical: EVENT_PATH });
  });

  test("another outcome is not found", async () => {
    expect(await load(`${EVENT_PATH}/rsvp/won`, { event: DETAIL })).toEqual({ heading: "Page not found" });
  });
});
