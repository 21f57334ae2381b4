import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { startApi } from "./server.js";

const TODAY = "2026-11-24";
const EMAIL = "ada@example.com";

/** @type {Awaited<ReturnType<typeof startApi>>} */
let api;
/** @type {import("./server.js").LogEntry[]} */
let log;
/** The clock of the API. @type {Date} */
let now;

beforeEach(async () => {
  log = [];
  now = new Date(`${TODAY}T14:05:30Z`);
  api = await startApi({ port: 0, now: () => now, log: (entry) => log.push(entry) });
});
afterEach(() => api.close());

/** @param {string} location @param {RequestInit} [init] */
function request(location, init) {
  return fetch(`${api.url}${location}`, { redirect: "manual", ...init });
}

/** @param {string} location @returns {Promise<any>} */
async function json(location) {
  const response = await request(location);
  expect(response.status, location).toBe(200);
  return response.json();
}

/** An event with places left. */
async function freeEvent() {
  const { events } = await json(`/cities/portland?from=${TODAY}`);
  for (const { id } of events) {
    const places = await json(`/${id}/places`);
    if (places.left >= 5) return { id, left: places.left };
  }
  throw new Error("every event is full");
}

/** @param {number} id @param {object} fields @param {HeadersInit} [headers] */
function rsvp(id, fields, headers) {
  return request(`/${String(id)}/rsvps`, {
    method: "POST",
    headers: { accept: "application/json", ...headers },
    body: new URLSearchParams(/** @type {Record<string, string>} */ (fields)),
  });
}

describe("lists", () => {
  test("cities have their numbers of events, and one has none", async () => {
    const { cities, asOf } = await json(`/cities?from=${TODAY}`);
    expect(asOf).toBe("2026-11-24T14:05Z");
    expect(cities.map(({ slug }) => slug)).toEqual(["austin", "cheyenne", "chicago", "new-orleans", "portland"]);
    const counts = Object.fromEntries(cities.map(({ slug, events }) => [slug, events]));
    expect(counts.cheyenne).toBe(0);
    expect(counts.portland).toBeGreaterThan(24);
    expect((await json("/cities/cheyenne")).pages).toBe(1);
  });

  test("pages are complete, in order and without repeats", async () => {
    const first = await json(`/cities/portland?from=${TODAY}`);
    const rest = await Promise.all(
      Array.from({ length: first.pages - 1 }, (_, index) =>
        json(`/cities/portland?from=${TODAY}&page=${String(index + 2)}`),
      ),
    );
    const events = [first, ...rest].flatMap((page) => page.events);
    expect(new Set(events.map(({ id }) => id)).size).toBe(first.total);
    const times = events.map(({ date, time }) => `${date} ${time}`);
    expect(times).toEqual(times.toSorted());
    expect(times[0] >= TODAY).toBe(true);
    expect(events.every(({ sample }) => sample === true)).toBe(true);
  });

  test("a later day has the same events, and new ones at its end", async () => {
    const before = await json("/cities/portland?from=2026-11-30");
    now = new Date("2026-11-30T00:00:00Z");
    const after = await json("/cities/portland");
    expect(after.events).toEqual(before.events);
    expect(after.total).toBeGreaterThan(before.total);
  });

  test.each([
    ["/cities/atlantis", 404, "There is no such city."],
    ["/cities/portland?page=99", 404, "There is no such page."],
    ["/cities/portland?page=01", 404, "There is no such page."],
    ["/cities?from=tomorrow", 400, "`from` must be a day, such as 2026-11-24."],
    ["/one", 404, "There is no such event."],
    ["/999999999999", 404, "There is no such event."],
    ["/%ff", 404, "There is nothing here."],
  ])("%s is %d", async (location, status, error) => {
    const response = await request(location);
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual({ error });
  });
});

describe("caching", () => {
  test("lists and events may be cached, and kept if the API fails", async () => {
    const { id } = await freeEvent();
    for (const location of ["/cities", "/cities/portland", `/${String(id)}`]) {
      const response = await request(location);
      expect(response.headers.get("cache-control")).toBe(
        "public, max-age=0, s-maxage=30, stale-while-revalidate=120, stale-if-error=86400",
      );
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    }
    expect((await request(`/${String(id)}/places`)).headers.get("cache-control")).toBe("no-store");
  });

  test("HEAD has the headers of GET", async () => {
    const response = await request("/cities", { method: "HEAD" });
    expect(response.headers.get("content-length")).toBe(String((await (await request("/cities")).text()).length));
    expect(await response.text()).toBe("");
  });
});

describe("RSVP", () => {
  test("takes places, and the same address again takes none more", async () => {
    const { id, left } = await freeEvent();
    const first = await rsvp(id, { email: EMAIL, places: "2" });
    expect([first.status, await first.json()]).toEqual([200, { outcome: "received", places: 2, left: left - 2 }]);
    const again = await rsvp(id, { email: EMAIL.toUpperCase(), places: "2" });
    expect([again.status, await again.json()]).toEqual([200, { outcome: "received", places: 2, left: left - 2 }]);
    await rsvp(id, { email: EMAIL, places: "1" });
    expect(await json(`/${String(id)}/places`)).toMatchObject({ left: left - 1 });
  });

  test("never takes more places than there are", async () => {
    const { id, left } = await freeEvent();
    const responses = await Promise.all(
      Array.from({ length: left }, (_, index) => rsvp(id, { email: `${String(index)}@example.com`, places: "4" })),
    );
    const accepted = responses.filter(({ status }) => status === 200).length;
    expect(accepted).toBe(Math.floor(left / 4));
    expect((await json(`/${String(id)}/places`)).left).toBe(left % 4);
    const refused = await responses.find(({ status }) => status === 409)?.json();
    expect(refused).toEqual({
      outcome: "full",
      error: left % 4 === 0 ? "No places are left." : expect.stringMatching(/^Only \d places? (is|are) left\.$/),
    });
  });

  test("leads a browser without JavaScript to a page, without the address", async () => {
    const { id } = await freeEvent();
    const html = { accept: "text/html,application/xhtml+xml" };
    const page = `/events/portland/event/${String(id)}/rsvp`;
    const received = await rsvp(id, { email: EMAIL, places: "1" }, html);
    expect([received.status, received.headers.get("location")]).toEqual([303, `${page}/received`]);
    const invalid = await rsvp(id, { email: "ada", places: "1" }, html);
    expect(invalid.headers.get("location")).toBe(`${page}/invalid`);
    now = new Date("2027-03-01T00:00:00Z");
    const over = await rsvp(id, { email: EMAIL, places: "1" }, html);
    expect(over.headers.get("location")).toBe(`${page}/over`);
  });

  test.each([
    [{ email: "ada", places: "1" }, "Enter an email address, such as name@example.com."],
    [{ email: `${"a".repeat(250)}@example.com`, places: "1" }, "Enter an email address, such as name@example.com."],
    [{ places: "1" }, "Enter an email address, such as name@example.com."],
    [{ email: EMAIL, places: "5" }, "Choose 1 to 4 places."],
    [{ email: EMAIL, places: "1.5" }, "Choose 1 to 4 places."],
    [{ email: EMAIL }, "Choose 1 to 4 places."],
  ])("rejects %j", async (fields, error) => {
    const { id } = await freeEvent();
    const response = await rsvp(id, fields);
    expect([response.status, await response.json()]).toEqual([422, { outcome: "invalid", error }]);
  });

  test.each([
    ["a large body", { body: "x".repeat(5000), type: "application/x-www-form-urlencoded" }, 413],
    ["another type", { body: "x", type: "text/plain" }, 415],
  ])("rejects %s", async (_, { body, type }, status) => {
    const { id } = await freeEvent();
    const response = await request(`/${String(id)}/rsvps`, { method: "POST", headers: { "content-type": type }, body });
    expect(response.status).toBe(status);
    expect(Object.keys(/** @type {object} */ (await response.json()))).toEqual(["error"]);
  });

  test("other methods are 405", async () => {
    const response = await request("/1/rsvps");
    expect([response.status, response.headers.get("allow")]).toEqual([405, "POST"]);
  });
});

test("no address is in the log", async () => {
  const { id } = await freeEvent();
  await rsvp(id, { email: EMAIL, places: "3" });
  await json(`/${String(id)}/places`);
  expect(JSON.stringify(log)).not.toContain("ada");
  expect(log.at(-1)).toMatchObject({ route: "/:event/places", method: "GET", status: 200 });
});

test("a port in use is an error", async () => {
  await expect(startApi({ port: Number(new URL(api.url).port) })).rejects.toThrow("EADDRINUSE");
});
