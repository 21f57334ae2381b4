// The example with live data, and its real API.
import { expectAccessibleInAllAppearances } from "../support/appearances";
import { expect, test } from "../support/events-site";
import { expectHttpError } from "../support/http-errors";
import { holdRequests, waitForHydration } from "../support/hydration";
import { expectAccessibleOnPhone } from "../support/phone";
import { recordPaths } from "../support/requested-paths";
import { follow } from "../support/screens";

// All tests share one site with the example.
test.describe.configure({ mode: "default" });

interface Listing {
  readonly events: readonly { readonly id: number }[];
}

/** An event in Portland with enough places left, which no other test uses: those from the `nth` on. */
async function findEvent(api: string, nth: number): Promise<{ readonly id: number }> {
  const response = await fetch(`${api}/cities/portland?page=${String(nth)}`);
  for (const event of ((await response.json()) as Listing).events) {
    const places = (await (await fetch(`${api}/${String(event.id)}/places`)).json()) as { readonly left: number };
    if (places.left >= 5) return event;
  }
  throw new Error("every event is full");
}

test("Everything works without JavaScript", async ({ browser, events }) => {
  const { id } = await findEvent(events.api.url, 3);
  const page = await browser.newPage({ javaScriptEnabled: false, baseURL: events.site.url });
  await page.goto("/events/cheyenne");
  await expect(page.getByRole("heading", { name: "Nothing is on in Cheyenne" })).toBeVisible();
  await page.getByRole("link", { name: "Other cities" }).click();
  await page.getByRole("main").getByRole("link", { name: "Portland" }).click();
  await page.getByRole("link", { name: "Later →" }).click();
  await page.getByRole("link", { name: "Later →" }).click();
  await expect(page).toHaveURL(/\?page=3$/);
  await page.getByRole("link", { name: "← Earlier" }).click();
  await expect(page).toHaveURL(/\?page=2$/);
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
  const methods: string[] = [];
  page.on("request", (request) => methods.push(request.method()));
  await page.reload();
  expect(methods).not.toContain("POST");
  await page.close();
});

test("The pages of a list follow the query", async ({ page, events }) => {
  const [list, number] = ["/events/portland", page.getByText(/^Page \d of \d/)];
  await page.goto(`${list}?utm_source=x&page=2`);
  await waitForHydration(page);
  await expect(number).toHaveText(/^Page 2/);
  const canonical = page.locator("link[rel=canonical]");
  await expect(canonical).toHaveAttribute("href", new RegExp(`${list}\\?page=2$`));
  await page.getByRole("link", { name: "Later →" }).click();
  await expect(number).toHaveText(/^Page 3/);
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  expect(page.url()).toBe(`${events.site.url}${list}?page=3`);
  await expect(canonical).toHaveAttribute("href", new RegExp(`${list}\\?page=3$`));
  await page.goBack();
  await expect(number).toHaveText(/^Page 2/);
  expect(page.url()).toBe(`${events.site.url}${list}?utm_source=x&page=2`);
  await page.goForward();
  await expect(number).toHaveText(/^Page 3/);
  await page.goBack();
  await expect(number).toHaveText(/^Page 2/);
  await page.getByRole("link", { name: "← Earlier" }).click();
  await expect(number).toHaveText(/^Page 1/);
  // A link below the pointer would prefetch its page.
  await page.mouse.move(0, 0);
  const paths = recordPaths(page);
  await follow(page, `${list}?utm_source=y`);
  await expect(page).toHaveURL(/\?utm_source=y$/);
  await expect(number).toHaveText(/^Page 1/);
  expect(paths).toEqual([]);
  expect((await fetch(`${events.site.url}${list}?page=0`)).status).toBe(404);
});

test("Old data says how old it is, and loads again by a link", async ({ page }) => {
  // The API states whole minutes, and a document of another test may be up to two minutes old.
  await page.clock.install({ time: Date.now() + 42 * 60_000 });
  await page.goto("/events/portland");
  await expect(page.getByText(/4[2-5] minutes old/)).toBeVisible();
  await expect(page.getByRole("status").filter({ hasText: "This may be out of date." })).toBeVisible();
  await expectAccessibleOnPhone(page);
  const paths = recordPaths(page);
  // Without a pointer, below which another link could come and prefetch its page.
  await page.getByRole("link", { name: "Load again" }).press("Enter");
  await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  // Focus and Enter each run the queries; no document is loaded.
  expect(new Set(paths)).toEqual(new Set(["/api/events/cities/portland"]));
});

test("Every state is accessible and fits a phone", async ({ page, events }) => {
  test.setTimeout(120_000);
  const { id } = await findEvent(events.api.url, 1);
  const event = `/events/portland/event/${String(id)}`;
  // The city's page has an extension of the example.
  const city = "/city/Oregon/Portland";
  for (const path of ["/events", "/events/portland", "/events/cheyenne", city, event, `${event}/rsvp/invalid`])
    await test.step(path, async () => {
      await page.goto(path);
      await waitForHydration(page);
      if (path === city) await expect(page.getByRole("complementary", { name: "What’s on in Portland" })).toBeVisible();
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
