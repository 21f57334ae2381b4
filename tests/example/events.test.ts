// The example with live data, and its real API.
import type { Page } from "@playwright/test";

import { expectAccessibleInAllAppearances } from "../support/appearances";
import { expect, test } from "../support/events-site";
import { countElements, holdRequests, markElements, SHELL, waitForHydration } from "../support/hydration";

interface Listing {
  readonly events: readonly { readonly id: number; readonly title: string }[];
}

/** Records the requests of the browser below /api/, and its documents, as paths. */
function recordRequests(page: Page): string[] {
  const paths: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/") || request.resourceType() === "document") paths.push(pathname);
  });
  return paths;
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
    [event, "000 ", [`/api/events/${String(id)}/places`]],
  ] as const) {
    await test.step(path, async () => {
      const html = await (await fetch(events.site.url + path)).text();
      expect(html.slice(0, html.indexOf('id="boot"'))).toContain(text);
      const requests = recordRequests(page);
      const startShell = await holdRequests(page, SHELL);
      await page.goto(path, { waitUntil: "commit" });
      await expect(page.getByRole("contentinfo")).toBeVisible();
      const marked = await markElements(page);
      startShell();
      await waitForHydration(page);
      if (requested.length > 0) await expect(page.getByText("left right now")).toBeVisible();
      await page.waitForLoadState("networkidle");
      const { preserved, added } = await countElements(page);
      // Only the places that are left are new.
      expect([preserved, added]).toEqual([marked, requested.length]);
      expect(requests).toEqual([path, ...requested]);
      page.removeAllListeners("request");
      await page.unrouteAll();
    });
  }
});

test("A navigation requests its data once, and no document", async ({ page }) => {
  await page.goto("/events/portland");
  await waitForHydration(page);
  const requests = recordRequests(page);
  const main = page.getByRole("main");
  // A prefetch on hover must not add a request.
  await main.getByRole("link", { name: "Later →" }).click();
  await expect(page).toHaveURL(/\/events\/portland\/page\/2$/);
  await expect(main.getByText("Page 2 of")).toBeVisible();
  await expect(page).toHaveTitle(/^What’s on in Portland, page 2 - /);
  expect(requests).toEqual(["/api/events/cities/portland"]);

  await test.step("search", async () => {
    requests.length = 0;
    await main.getByRole("searchbox", { name: "Search Portland" }).fill(" board / games ");
    // With the keyboard: the results could move a link under the pointer, and so prefetch it.
    await page.mouse.move(0, 0);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/events\/portland\/search\/board%20games$/);
    await expect(main.getByText(/events? match(es)? “board games”/)).toBeVisible();
    await expect(main.getByRole("searchbox")).toHaveValue("board games");
    expect(requests).toEqual(["/api/events/cities/portland"]);
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
  await expect(page.getByText(/Your RSVP stays in its database/)).toBeVisible();
  const email = page.getByLabel("Email");
  // Valid for the browser and not for the API.
  await email.fill("ada@example");
  await page.getByRole("button", { name: "RSVP" }).click();
  await expect(page.getByRole("alert").getByText("Enter an email address, such as name@example.com.")).toBeVisible();
  await expect(email).toHaveValue("ada@example");
  await email.fill("ada@example.com");
  await page.getByLabel("Places").fill("2");
  const requests = recordRequests(page);
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
  await page.goto("/events");
  await page.getByRole("main").getByRole("link", { name: "Portland" }).click();
  await page.getByRole("link", { name: "Later →" }).click();
  await page.getByRole("link", { name: "Later →" }).click();
  await expect(page).toHaveURL(/\/page\/3$/);
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

test("Old data says how old it is", async ({ page }) => {
  // The API states whole minutes, and a document of another test may be up to two minutes old.
  await page.clock.install({ time: Date.now() + 42 * 60_000 });
  await page.goto("/events/portland");
  await expect(page.getByText(/4[2-5] minutes old/)).toBeVisible();
});

test("Every state is accessible and fits a phone", async ({ page, events }) => {
  test.setTimeout(120_000);
  const { id } = await findEvent(events.api.url, 1);
  const event = `/events/portland/event/${String(id)}`;
  for (const path of [
    ...["/events", "/events/portland/page/2", "/events/portland/search/games", "/events/portland/search/zebra"],
    ...["/events/cheyenne", event, `${event}/rsvp/invalid`],
  ])
    await test.step(path, async () => {
      await page.goto(path);
      await waitForHydration(page);
      await expectAccessibleInAllAppearances(page);
    });
});
