// The example with live data while its API hangs or is gone.
import type { Page, Request } from "@playwright/test";

import { expectErrorsAbout } from "../support/browser-errors";
import { startEventsApi } from "../support/events-api.mjs";
import { expect, test } from "../support/events-site";
import { waitForHydration } from "../support/hydration";
import { expectAccessibleOnPhone } from "../support/phone";
import { recordPaths } from "../support/requested-paths";
import { follow } from "../support/screens";
import { startEventsSite, type EventsSite } from "../support/start-events-site";

const FAILED = "The events are unavailable right now";

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

/** Opens the first event in Portland. Returns its path. */
async function openEvent(page: Page, { site }: EventsSite): Promise<string> {
  await page.goto(`${site.url}/events/portland`);
  await page.getByRole("article").getByRole("link").first().click();
  await expect(page.getByText(/left right now$/)).toBeVisible();
  return new URL(page.url()).pathname;
}

/** The requests to the API whose client has closed its connection, as the gateway counts them. */
async function closedByClient({ site }: EventsSite): Promise<number> {
  const metrics = await (await fetch(`${site.gateway.admin}/metrics`)).text();
  return Number(/upstream_requests_total\{upstream="events",outcome="client_closed"\} (\d+)/.exec(metrics)?.[1]);
}

/** Waits until the browser aborts a request of a path. */
async function expectAborted(page: Page, path: string, leave: () => Promise<void>): Promise<void> {
  const isOfPath = (request: Request): boolean => new URL(request.url()).pathname === path;
  const [request] = await Promise.all([page.waitForEvent("requestfailed", isOfPath), leave()]);
  expect(request.failure()?.errorText).toBe("net::ERR_ABORTED");
}

// The tests share one site. The last one ends the API.
test.describe.configure({ mode: "default" });
let events: EventsSite;
test.beforeAll(async () => {
  events = await startEventsSite(2_000);
});
test.afterAll(async () => {
  await events.site.stop();
  await events.api.stop();
});

test("A page whose API hangs stays usable, and leaving it aborts requests", async ({ page }) => {
  test.setTimeout(120_000);
  const { site, api } = events;
  const event = await openEvent(page, events);
  const places = `/api${event.replace("/portland/event", "")}/places`;
  const terms = page.getByRole("contentinfo").getByRole("link", { name: "Terms" });
  api.signal("SIGSTOP");

  await test.step("data that loads for long says so", async () => {
    await page.goto(site.url + event);
    await waitForHydration(page);
    await expect(page.getByRole("status").filter({ hasText: "Counting what is left…" })).toBeVisible();
    await expectAccessibleOnPhone(page);
  });

  await test.step("a navigation aborts it", async () => {
    const before = await closedByClient(events);
    await page.goto(site.url + event);
    await expect(page.getByText("Counting what is left…")).toBeVisible();
    await expectAborted(page, places, () => terms.click());
    await expect(heading(page)).toHaveText("Terms of use");
    await expect.poll(() => closedByClient(events)).toBeGreaterThan(before);
  });

  await test.step("a navigation elsewhere aborts the queries of the page that loads", async () => {
    const query = page.waitForRequest(/\/api\/events\/cities\/chicago/);
    await follow(page, "/events/chicago?page=2");
    await query;
    await expectAborted(page, "/api/events/cities/chicago", () => follow(page, "/privacy"));
    await expect(heading(page)).toHaveText("Privacy policy");
  });

  await test.step("a document is complete within the deadline, and not cached", async () => {
    const response = await fetch(`${site.url}/events/austin?page=2`);
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store, no-transform"]);
    const html = await response.text();
    expect(html).toContain(FAILED);
    expect(html).not.toContain("<!--$!-->");
  });

  await test.step("the failed page is accessible, and loads again by a link, without a document", async () => {
    const path = "/events/austin?page=3";
    await page.goto(site.url + path);
    await expect(page.getByText(FAILED)).toBeVisible();
    await waitForHydration(page);
    await expectAccessibleOnPhone(page);
    api.signal("SIGCONT");
    const paths = recordPaths(page);
    // Without a pointer, below which another link could come and prefetch its page.
    await page.mouse.move(0, 0);
    await page.getByRole("link", { name: "Try again" }).press("Enter");
    await expect(heading(page)).toHaveText("What’s on in Austin");
    await expect(heading(page)).toBeFocused();
    expect(new Set(paths)).toEqual(new Set(["/api/events/cities/austin"]));
    expect(page.url()).toBe(site.url + path);
  });
});

test("A page whose API is gone keeps its form and input", async ({ page, browser, browserErrors }) => {
  test.setTimeout(120_000);
  const { site, api } = events;
  const event = await openEvent(page, events);
  await api.stop();
  const email = page.getByLabel("Email");
  const rsvp = page.getByRole("button", { name: "RSVP" });

  await test.step("an RSVP shows an error, and keeps focus and input", async () => {
    await email.fill("ada@example.com");
    await page.getByLabel("Places").fill("2");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("alert")).toHaveText("This isn’t available right now. Please try again.");
    await expect(page.getByLabel("Places")).toBeFocused();
    await expect(page.getByLabel("Places")).toHaveValue("2");
    await rsvp.click();
    await expect(page.getByRole("alert")).not.toBeEmpty();
    await expect(rsvp).toBeFocused();
    await expect(rsvp).toBeEnabled();
    await expect(email).toHaveValue("ada@example.com");
  });

  await test.step("without JavaScript, it leads to a page of the site, and Back to the input", async () => {
    const plain = await browser.newPage({ javaScriptEnabled: false, baseURL: site.url });
    await plain.goto(event);
    await plain.getByLabel("Email").fill("grace@example.com");
    const [response] = await Promise.all([
      plain.waitForResponse((received) => received.request().method() === "POST"),
      plain.getByRole("button", { name: "RSVP" }).click(),
    ]);
    expect([502, 503]).toContain(response.status());
    expect(response.headers()["content-type"]).toBe("text/html; charset=utf-8");
    await expect(plain).toHaveTitle(/^Something went wrong/);
    await expect(heading(plain)).toHaveText("Something went wrong");
    await expect(plain.getByText("This isn’t available right now. Please try again.")).toBeVisible();
    await expect(plain.getByRole("link", { name: "Return to the previous page" })).toHaveAttribute("href", event);
    await plain.goBack();
    await expect(plain.getByLabel("Email")).toHaveValue("grace@example.com");
    await plain.close();
  });

  await test.step("a page whose data the cache holds stays", async () => {
    const other = await browser.newPage({ baseURL: site.url });
    await other.goto(event);
    await expect(other.getByText(/^As of/)).toBeVisible();
    await expect(other.getByText("The number left is unavailable right now.")).toBeVisible();
    await other.close();
  });

  await test.step("another page says that its events are unavailable", async () => {
    const other = await browser.newPage({ baseURL: site.url });
    await other.goto("/terms");
    await waitForHydration(other);
    // No other test has put it into the cache.
    await follow(other, "/events/chicago?page=3");
    await expect(other.getByText(FAILED)).toBeVisible();
    await other.close();
  });

  await test.step("the same form is sent once the API is back", async () => {
    const restarted = await startEventsApi({ port: Number(new URL(api.url).port) });
    // The gateway tries the API again after a while.
    const places = `${site.url}/api${event.replace("/portland/event", "")}/places`;
    await expect.poll(async () => (await fetch(places)).status).toBe(200);
    await rsvp.click();
    await expect(page.getByRole("status").filter({ hasText: "You have 2 places" })).toBeFocused();
    // The API logs a request after its response.
    await expect
      .poll(() => restarted.requests.filter(({ method }) => method === "POST"))
      .toEqual([expect.objectContaining({ status: 200 })]);
    await restarted.stop();
  });
  // The browser logs the failed requests.
  expectErrorsAbout(browserErrors, /50[234]/);
});
