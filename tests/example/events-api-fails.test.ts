// The example with live data while its API hangs or is gone.
import { expectAccessibleInAllAppearances } from "../support/appearances";
import { startEventsApi } from "../support/events-api.mjs";
import { expect, startEventsSite, test } from "../support/events-site";
import { waitForHydration } from "../support/hydration";
import { follow } from "../support/screens";

const FAILED = "The events are unavailable right now";

test("A page whose API hangs is complete within the deadline", async ({ page }) => {
  test.setTimeout(120_000);
  const { site, api } = await startEventsSite(500);
  await page.goto(`${site.url}/events`);
  await waitForHydration(page);
  api.signal("SIGSTOP");

  await test.step("the document says so, and is not cached", async () => {
    const response = await fetch(`${site.url}/events/austin/page/2`);
    expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const html = await response.text();
    expect(html).toContain(FAILED);
    expect(html).not.toContain("<!--$!-->");
  });

  await test.step("other sections work", async () => {
    await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Terms of use");
  });

  await test.step("the failed page is accessible, and works again with the API", async () => {
    await page.goto(`${site.url}/events/austin/page/3`);
    await expect(page.getByText(FAILED)).toBeVisible();
    await expectAccessibleInAllAppearances(page);
    api.signal("SIGCONT");
    await page.getByRole("link", { name: "Try again" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("What’s on in Austin");
  });
  await page.close();
  await site.stop();
  await api.stop();
});

test("A page whose API is gone keeps its form and input", async ({ page, browserErrors }) => {
  test.setTimeout(120_000);
  const { site, api } = await startEventsSite(500);
  await page.goto(`${site.url}/events/portland`);
  await page.getByRole("article").getByRole("link").first().click();
  await expect(page.getByText(/left right now$/)).toBeVisible();
  await api.stop();

  await test.step("an RSVP shows an error, and keeps what was typed", async () => {
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByRole("button", { name: "RSVP" }).click();
    await expect(page.getByRole("alert")).not.toBeEmpty();
    await expect(page.getByLabel("Email")).toHaveValue("ada@example.com");
    await expect(page.getByRole("button", { name: "RSVP" })).toBeEnabled();
  });

  await test.step("a page whose data the cache holds stays", async () => {
    await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link", { name: "What’s on" }).click();
    await expect(page.getByRole("main").getByRole("link", { name: "New Orleans" })).toBeVisible();
  });

  await test.step("a navigation to another page says that its events are unavailable", async () => {
    await follow(page, "/events/chicago/page/2");
    await expect(page.getByText(FAILED)).toBeVisible();
  });

  await test.step("it is back with the API", async () => {
    const restarted = await startEventsApi({ port: Number(new URL(api.url).port) });
    await expect(async () => {
      await page.getByRole("link", { name: "Try again" }).click();
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("What’s on in Chicago", { timeout: 1_000 });
    }).toPass();
    await restarted.stop();
  });
  // The browser logs the failed requests.
  expect(browserErrors.errors.splice(0).every((text) => /50[234]/.test(text))).toBe(true);
  await page.close();
  await site.stop();
});
