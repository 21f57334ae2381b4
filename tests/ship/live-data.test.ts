// A section with queries, forms, data of the visitor and Suspense boundaries, and the upstream that it uses.
import path from "node:path";

import type { Page } from "@playwright/test";

import { expectErrorsAbout } from "../support/browser-errors";
import { startEventsUpstream, type EventsUpstream } from "../support/events-upstream";
import { expectHttpError } from "../support/http-errors";
import { countElements, markElements, waitForHydration } from "../support/hydration";
import { writeLiveSection } from "../support/live-section";
import { expect, test } from "../support/own-site";
import { follow } from "../support/screens";
import { sectionCommand } from "../support/section-command";

let upstream: EventsUpstream;
test.beforeEach(async () => {
  upstream = await startEventsUpstream();
});
test.afterEach(() => {
  upstream.stop();
});

/** The requests since the last call. */
function received(): string[] {
  return upstream.requests.splice(0);
}

/** As `received`, without what the focused link to event 8 prefetches. */
function receivedExceptPrefetch(): string[] {
  return received().filter((request) => request !== "GET /event/8");
}

const heading = (page: Page) => page.getByRole("heading", { level: 1 });

test("Pages have data of an upstream, with and without JavaScript", async ({
  page,
  browser,
  browserErrors,
  startOwnSite,
  folder,
}) => {
  const own = await startOwnSite({ config: upstream.config });
  const section = sectionCommand(own.access);
  await section(folder, "new", "hello");
  const hello = path.join(folder, "hello");
  await writeLiveSection(hello);
  for (const command of ["build", "publish", "deploy"]) await section(hello, command);
  received();

  await test.step("without JavaScript", async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: own.url });
    const plain = await context.newPage();
    await plain.goto("/hello");
    await expect(plain.getByRole("link", { name: "Event 7" })).toBeVisible();
    await expect(plain.getByText("Visitor loading")).toBeVisible();
    expect(received()).toEqual(["GET /list"]);
    await plain.getByRole("textbox", { name: "Name" }).fill("Ada");
    await plain.getByRole("button", { name: "Reserve" }).click();
    await expect(plain).toHaveURL(/\/hello\/thanks$/);
    expect(received()).toEqual([expect.stringMatching(/^POST \/reserve/)]);
    await plain.goto("/hello");
    await plain.getByRole("textbox", { name: "Number" }).fill("8");
    await plain.getByRole("button", { name: "Search" }).click();
    await expect(heading(plain)).toHaveText("Chess");
    await plain.goto("/hello/old");
    await expect(plain).toHaveURL(/\/hello\/7$/);
    expect((await plain.goto("/hello/unknown"))?.status()).toBe(404);
    await expect(heading(plain)).toHaveText("Event not found");
    await plain.goto("/hello/lazy");
    await expect(plain.getByRole("button", { name: "Chart, clicked 0" })).toHaveCSS("color", "rgb(1, 2, 3)");
    await expect(plain.getByText("Loading the clock")).toBeVisible();
    await context.close();
  });

  await test.step("Lazy components of the server's HTML hydrate", async () => {
    await page.goto(`${own.url}/hello/lazy`);
    await waitForHydration(page);
    await page.getByRole("button", { name: "Chart, clicked 0" }).click();
    await expect(page.getByRole("button", { name: "Chart, clicked 1" })).toBeVisible();
    await expect(page.getByText("The clock is ticking.")).toBeVisible();
    await expect(page.getByText("Loading the clock")).toHaveCount(0);
  });

  await test.step("hydration requests nothing again, and only data of the visitor has cookies", async () => {
    await page.context().addCookies([{ name: "visitor", value: "lovelace", url: own.url }]);
    received();
    await page.route("**/assets/**/*.js", async (route) => {
      await hydrate;
      await route.continue();
    });
    let start = (): void => undefined;
    const hydrate = new Promise<void>((resolve) => {
      start = resolve;
    });
    await page.goto(`${own.url}/hello`, { waitUntil: "commit" });
    await expect(page.getByRole("link", { name: "Event 7" })).toBeVisible();
    const elements = await markElements(page);
    start();
    await expect(page.getByText("Visitor visitor=lovelace")).toBeVisible();
    expect(await countElements(page)).toMatchObject({ preserved: elements });
    expect(received()).toEqual(["GET /list", "GET /me visitor=lovelace"]);
    // As all others get it.
    const document = await page.request.get(`${own.url}/hello`);
    expect(await document.text()).not.toContain("lovelace");
    received();
  });

  await test.step("navigation requests the queries of the page, and Back does so again", async () => {
    // Without a pointer, below which another link could come and prefetch its page.
    await page.getByRole("link", { name: "Event 8" }).press("Enter");
    await expect(heading(page)).toHaveText("Chess");
    // Also the prefetch of the link requests it.
    expect(new Set(received())).toEqual(new Set(["GET /event/8"]));
    await page.goBack();
    await expect(page.getByText("Visitor visitor=lovelace")).toBeVisible();
    await expect(page.getByRole("link", { name: "Event 8" })).toBeFocused();
    expect(receivedExceptPrefetch()).toEqual(["GET /list", "GET /me visitor=lovelace"]);
  });

  await test.step("a mutation runs the queries again", async () => {
    await page.getByRole("button", { name: "Like" }).click();
    await expect(heading(page)).toBeFocused();
    expect(receivedExceptPrefetch()).toEqual(["POST /reserve visitor=lovelace", "GET /list"]);
    expect(page.url()).toBe(`${own.url}/hello`);
  });

  await test.step("a redirect replaces the history entry", async () => {
    await page.getByRole("link", { name: "Old" }).click();
    await expect(page).toHaveURL(/\/hello\/7$/);
    await expect(heading(page)).toHaveText("Jazz");
    await page.goBack();
    await expect(heading(page)).toHaveText("Events");
    // Without a pointer, so that no prefetch logs the error once more.
    await follow(page, "/hello/unknown");
    await expect(heading(page)).toHaveText("Event not found");
    await expectHttpError(browserErrors, 404);
    await page.goBack();
    await expect(heading(page)).toHaveText("Events");
  });

  await test.step("a query without upstream is unavailable, not missing, also for the gateway", async () => {
    await follow(page, "/hello/unserved");
    await expect(heading(page)).toHaveText("Unavailable");
    await expectHttpError(browserErrors, 404);
    const response = await page.reload();
    expect([response?.status(), response?.headers()["cache-control"]]).toEqual([200, "no-store, no-transform"]);
    await expect(heading(page)).toHaveText("Unavailable");
    await page.goto(`${own.url}/hello`);
    await waitForHydration(page);
  });

  await test.step("a form posts in place", async () => {
    await page.getByRole("textbox", { name: "Name" }).fill("late");
    await page.getByRole("button", { name: "Reserve" }).click();
    await expect(page.getByRole("alert")).toHaveText("Sold out.");
    await expectHttpError(browserErrors, 409);
    await page.getByRole("textbox", { name: "Name" }).fill("Ada");
    await page.getByRole("button", { name: "Reserve" }).click();
    const status = page.getByRole("status").filter({ hasText: "Thanks, Ada." });
    await expect(status).toBeFocused();
    expect(page.url()).toBe(`${own.url}/hello`);
  });

  await test.step("a failed query is a part of the page", async () => {
    upstream.isBroken = true;
    const response = await page.goto(`${own.url}/hello`);
    expect(response?.status()).toBe(200);
    expect(response?.headers()["cache-control"]).toContain("no-store");
    await waitForHydration(page);
    await expect(page.getByText("No list")).toBeVisible();
    await page.getByRole("textbox", { name: "Name" }).fill("Ada");
    upstream.isBroken = false;
    const entries = await page.evaluate(() => history.length);
    await page.getByRole("link", { name: "Try again" }).click();
    await expect(page.getByRole("link", { name: "Event 7" })).toBeVisible();
    await expect(heading(page)).toBeFocused();
    await expect(page.locator("[data-announcer]")).toHaveText("Events");
    await expect(page.getByRole("textbox", { name: "Name" })).toHaveValue("Ada");
    expect(await page.evaluate(() => history.length)).toBe(entries);
    upstream.isBroken = true;
    await follow(page, "/hello/unknown");
    await expect(heading(page)).toHaveText("Unavailable");
    // Of the page, and before of the visitor.
    expectErrorsAbout(browserErrors, "status of 500");
  });

  await test.step("no cache keeps a document whose result does not fit its schema", async () => {
    upstream.isBroken = false;
    const { value } = upstream.list;
    upstream.list = { value: {}, cacheControl: "max-age=600" };
    const response = await page.goto(`${own.url}/hello`);
    expect([response?.status(), response?.headers()["cache-control"]]).toEqual([200, "no-store, no-transform"]);
    await expect(page.getByText("No list")).toBeVisible();
    upstream.list.value = value;
  });

  await test.step("a purge shows what is new, without JavaScript too", async () => {
    const purge = async () => {
      const { url, token } = own.access;
      const response = await fetch(`${url}/api/v1/upstreams/purge`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}` },
        body: JSON.stringify({ prefix: "/api/events/list" }),
      });
      expect(await response.json()).toEqual({ purged: 1 });
    };
    const context = await browser.newContext({ javaScriptEnabled: false, baseURL: own.url });
    const plain = await context.newPage();
    await purge();
    await plain.goto("/hello");
    await expect(plain.getByRole("link", { name: "Event 8" })).toBeVisible();
    upstream.list.value = ["9"];
    await plain.reload();
    await expect(plain.getByRole("link", { name: "Event 8" })).toBeVisible();
    await purge();
    await plain.reload();
    await expect(plain.getByRole("link", { name: "Event 9" })).toBeVisible();
    await context.close();
  });
});
