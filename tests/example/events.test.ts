// The example with live data, and its real API.
import { expectAccessibleInAllAppearances } from "../support/appearances";
import { expect, test } from "../support/events-site";
import { expectHttpError } from "../support/http-errors";
import { countElements, holdRequests, markElements, SHELL, waitForHydration } from "../support/hydration";
import { expectAccessibleOnPhone } from "../support/phone";
import { recordPaths } from "../support/requested-paths";

// All tests share one site with the example.
test.describe.configure({ mode: "default" });

interface Listing {
  readonly events: readonly { readonly id: number; readonly title: string }[];
}

/** An event in Portland with enough places left, which no other test uses: those from the `nth` on. */
async function findEvent(api: string, nth: number): Promise<{ readonly id: number; readonly title: string }> {
  const response = await fetch(`${api}/cities/portland?page=${String(nth)}`);
  for (const event of ((await response.json()) as Listing).events) {
    const places = (await (await fetch(`${api}/${String(event.id)}/places`)).json()) as { readonly left: number };
    if (places.left >= 5) return event;
  }
  throw new Error("every event is full");
}

test("Documents hold the data, and hydrate exactly without a request", async ({ page, events }) => {
  const { id, title } = await findEvent(events.api.url, 1);
  const event = `/events/portland/event/${String(id)}`;
  for (const [path, text, requested] of [
    ["/events", "New Orleans</a>", []],
    ["/events/portland", `<a href="${event}">${title}</a>`, []],
    [event, `<h1>${title}</h1>`, [`/api/events/${String(id)}/places`]],
  ] as const) {
    await test.step(path, async () => {
      const html = await (await fetch(events.site.url + path)).text();
      expect(html.slice(0, html.indexOf('id="boot"'))).toContain(text);
      const requests = recordPaths(page);
      const startShell = await holdRequests(page, SHELL);
      await page.goto(path, { waitUntil: "commit" });
      await expect(page.getByRole("contentinfo")).toBeVisible();
      const marked = await markElements(page);
      startShell();
      await waitForHydration(page);
      if (requested.length > 0) await expect(page.getByText("left right now")).toBeVisible();
      await page.waitForLoadState("networkidle");
      const { preserved, added } = await countElements(page);
      // Only the places that are left are new: a block and its text.
      expect([preserved, added]).toEqual([marked, 2 * requested.length]);
      expect(requests).toEqual([path, ...requested]);
      page.removeAllListeners("request");
      await page.unrouteAll();
    });
  }
});

test("A navigation requests its data once, and no document", async ({ page }) => {
  await page.goto("/events/portland");
  await waitForHydration(page);
  const paths = recordPaths(page);
  // The pointer may be above an event of the new page, which it prefetches.
  const requested = (): string[] => paths.filter((path) => !/^\/api\/events\/\d+$/.test(path));
  const main = page.getByRole("main");
  // A prefetch on hover must not add a request.
  await main.getByRole("link", { name: "Later →" }).click();
  await expect(page).toHaveURL(/\/events\/portland\/page\/2$/);
  await expect(main.getByText("Page 2 of")).toBeVisible();
  await expect(page).toHaveTitle(/^What’s on in Portland, page 2 - /);
  expect(requested()).toEqual(["/api/events/cities/portland"]);

  await test.step("search", async () => {
    paths.length = 0;
    await main.getByRole("searchbox", { name: "Search Portland" }).fill(" board / games ");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/events\/portland\/search\/board%20games$/);
    await expect(main.getByText(/events? match(es)? “board games”/)).toBeVisible();
    await expect(main.getByRole("searchbox")).toHaveValue("board games");
    expect(requested()).toEqual(["/api/events/cities/portland"]);
    await main.getByRole("searchbox").fill("zebra");
    await page.keyboard.press("Enter");
    await expect(main.getByText("No events match “zebra”")).toBeVisible();
  });

  await test.step("not found, and redirects", async () => {
    const statusOf = async (path: string): Promise<number | undefined> => (await page.goto(path))?.status();
    expect(await statusOf("/events/portland/page/1")).toBe(200);
    await expect(page).toHaveURL(/\/events\/portland$/);
  });
});

test("An RSVP in place shows errors and the outcome", async ({ page, events, browserErrors }) => {
  const { id } = await findEvent(events.api.url, 2);
  await page.goto(`/events/portland/event/${String(id)}`);
  const left = page.getByText(/^\d+ left right now$/);
  const before = parseInt((await left.textContent()) ?? "", 10);
  await expect(page.getByText(/Your RSVP stays in its API/)).toBeVisible();
  const email = page.getByLabel("Email");
  // Valid for the browser and not for the API.
  await email.fill("ada@example");
  await page.getByRole("button", { name: "RSVP" }).click();
  await expect(page.getByRole("alert").getByText("Enter an email address, such as name@example.com.")).toBeVisible();
  await expect(email).toHaveValue("ada@example");
  await email.fill("ada@example.com");
  await page.getByLabel("Places").fill("2");
  const requests = recordPaths(page);
  await page.getByRole("button", { name: "RSVP" }).click();
  await expect(page.getByText("You have 2 places")).toBeVisible();
  await expect(page.getByText(`${String(before - 2)} left right now`)).toBeVisible();
  expect(requests).toEqual([`/api/events/${String(id)}/rsvps`, `/api/events/${String(id)}/places`]);
  // The browser logs a 422.
  expect(browserErrors.errors.splice(0)).toEqual([expect.stringContaining("422")]);
  expect(JSON.stringify([events.api.requests, events.site.gateway.log])).not.toContain("ada@");
});

test("Everything works without JavaScript", async ({ browser, events }) => {
  const { id, title } = await findEvent(events.api.url, 3);
  const page = await browser.newPage({ javaScriptEnabled: false, baseURL: events.site.url });
  await page.goto("/events/cheyenne");
  await expect(page.getByRole("heading", { name: "Nothing is on in Cheyenne" })).toBeVisible();
  await page.getByRole("link", { name: "Other cities" }).click();
  await page.getByRole("main").getByRole("link", { name: "Portland" }).click();
  await page.getByRole("link", { name: "Later →" }).click();
  await page.getByRole("link", { name: "Later →" }).click();
  await expect(page).toHaveURL(/\/page\/3$/);
  await page.getByRole("link", { name: "← Earlier" }).click();
  await expect(page).toHaveURL(/\/page\/2$/);
  await page.getByRole("searchbox").fill("zebra");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("heading", { name: "No events match “zebra”" })).toBeVisible();
  await page.getByRole("link", { name: "All events in Portland" }).click();
  await expect(page).toHaveURL(/\/events\/portland$/);
  await page.getByRole("searchbox").fill(title);
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page).toHaveURL(new RegExp(`/events/portland/search/${encodeURIComponent(title)}$`));
  await expect(page.getByRole("article").first()).toContainText(title);
  await page.goto(`/events/portland/event/${String(id)}`);
  await page.getByLabel("Email").fill("grace@example");
  await page.getByRole("button", { name: "RSVP" }).click();
  await expect(page).toHaveURL(/\/rsvp\/invalid$/);
  await expect(page.getByText("The RSVP was not valid")).toBeVisible();
  await page.getByLabel("Email").fill("grace@example.com");
  await page.getByRole("button", { name: "RSVP" }).click();
  await expect(page).toHaveURL(new RegExp(`/events/portland/event/${String(id)}/rsvp/received$`));
  await expect(page.getByText("The RSVP was received")).toBeVisible();
  await expect(page.getByText("Counting")).toHaveCount(0);
  const posts = events.api.requests.filter(({ method }) => method === "POST").length;
  await page.reload();
  expect(events.api.requests.filter(({ method }) => method === "POST")).toHaveLength(posts);
  await page.close();
});

test("Old data says how old it is, and loads again by a link", async ({ page }) => {
  // The API states whole minutes, and a document of another test may be up to two minutes old.
  await page.clock.install({ time: Date.now() + 42 * 60_000 });
  await page.goto("/events/portland");
  await expect(page.getByText(/4[2-5] minutes old/)).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "This may be out of date." })).toBeVisible();
  await expectAccessibleOnPhone(page);
  const paths = recordPaths(page);
  await page.getByRole("link", { name: "Load again" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  // Hover, focus and click each run the queries; no document is loaded.
  expect(new Set(paths)).toEqual(new Set(["/api/events/cities/portland"]));
});

test("Every state is accessible and fits a phone", async ({ page, events }) => {
  test.setTimeout(120_000);
  const { id } = await findEvent(events.api.url, 1);
  const event = `/events/portland/event/${String(id)}`;
  for (const path of [
    ...["/events", "/events/portland/search/games", "/events/portland/search/zebra"],
    ...["/events/cheyenne", event, `${event}/rsvp/invalid`],
  ])
    await test.step(path, async () => {
      await page.goto(path);
      await waitForHydration(page);
      await (path === event ? expectAccessibleInAllAppearances(page) : expectAccessibleOnPhone(page));
    });
});

test("Each state of form and places is accessible and announced", async ({ page, events, browserErrors }) => {
  test.setTimeout(120_000);
  const { id } = await findEvent(events.api.url, 4);
  const places = page.getByRole("status").filter({ has: page.locator("[tabindex]") });
  const alert = page.getByRole("alert");
  const email = page.getByLabel("Email");
  const rsvp = page.getByRole("button", { name: "RSVP" });

  await test.step("places that fail, and load again with the keyboard", async () => {
    await page.route("**/places", (route) => route.fulfill({ status: 503, json: { error: "busy" } }));
    await page.goto(`/events/portland/event/${String(id)}`);
    await expect(places).toContainText("The number left is unavailable right now.");
    await expectHttpError(browserErrors, 503);
    await expectAccessibleOnPhone(page);
    await page.unroute("**/places");
    await page.getByRole("button", { name: "Count again" }).press("Enter");
    await expect(places).toHaveText(/^\d+ left right now$/);
    await expect(places.locator(":focus")).toHaveCount(1);
  });

  await test.step("a pending form keeps the focus and sends nothing twice", async () => {
    const answer = await holdRequests(page, /\/rsvps$/);
    const paths = recordPaths(page);
    await email.fill("linus@example");
    await rsvp.focus();
    for (let i = 0; i < 3; i += 1) await page.keyboard.press("Enter");
    await expect(rsvp).toBeFocused();
    await expect(rsvp).toHaveAttribute("aria-disabled", "true");
    await expect(page.getByRole("status").filter({ hasText: "Sending" })).toHaveCount(1);
    await expectAccessibleOnPhone(page);
    expect(paths).toEqual([`/api/events/${String(id)}/rsvps`]);
    answer();
  });

  await test.step("an error is an alert", async () => {
    await expect(alert).toHaveText("Enter an email address, such as name@example.com.");
    await expectHttpError(browserErrors, 422);
    await expect(page.getByText("Sending")).toHaveCount(0);
    await expect(rsvp).toBeFocused();
    await expect(email).toHaveValue("linus@example");
    await expectAccessibleOnPhone(page);
  });

  await test.step("a success is focused", async () => {
    await email.fill("linus@example.com");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("status").filter({ hasText: "You have 1 place" })).toBeFocused();
    await expectAccessibleOnPhone(page);
  });
});
