import { expect, test } from "../support/fixtures";
import { expectHttpError } from "../support/http-errors";
import { waitForPaint } from "../support/hydration";
import { expectScreen, follow } from "../support/screens";

const LONG = `/city/Texas/${"x".repeat(10 * 1024)}`;

const BAD_PATHS = [
  ["invalid percent-encoding", "/state/%F0%28", 400],
  ["an encoded slash", "/city/Texas/..%2f..", 400],
  ["an encoded NUL", "/state/Texas%00", 400],
  ["a lone percent sign", "/state/100%", 400],
  ["10 KB", LONG, 414],
] as const;

test("Invalid paths get an HTML error page without internals", async ({ request }) => {
  for (const [name, path, status] of BAD_PATHS) {
    const response = await request.get(path);
    expect(response.status(), name).toBe(status);
    expect(response.headers()["content-type"]).toMatch(/^text\/html/);
    const html = await response.text();
    expect(html).toMatch(/Request ID:.*\w/s);
    expect(html).not.toMatch(/panicked|stack|\.rs\b|undefined|%F0|x{100}/);
  }
});

test("Links to invalid paths show 'Page not found'", async ({ page, browserErrors }) => {
  await page.goto("/terms");
  await expectScreen(page, "Terms of use");
  for (const [name, path] of BAD_PATHS) {
    await test.step(name, async () => {
      await follow(page, path);
      await expectScreen(page, "Page not found");
      await expect.poll(() => browserErrors.errors.length).toBeGreaterThan(0);
      expect(browserErrors.errors.filter((text) => !/the server responded with a status of 4\d\d/.test(text))).toEqual(
        [],
      );
      browserErrors.errors.length = 0;
      await page.getByRole("link", { name: "Return to home" }).click();
      await expectScreen(page, "Browse by state. Know what you’re reading.");
    });
  }
});

test("A fragment with invalid percent-encoding is ignored", async ({ page }) => {
  await page.goto("/terms#%F0%28");
  await expectScreen(page, "Terms of use");
  await follow(page, "/privacy#%");
  await expectScreen(page, "Privacy policy");
  // Fragment navigation runs a frame after the page renders.
  await waitForPaint(page);
});

test("Dot segments never leave the site", async ({ page, browserErrors }) => {
  await page.goto("/city/Texas/Houston/../../../state/Texas");
  await expectScreen(page, "Escorts in Texas");
  await expect(page).toHaveURL("/state/Texas");
  const response = await page.goto("/assets/directory/%2e%2e/%2e%2e/etc/passwd");
  expect(response?.status()).toBeGreaterThanOrEqual(400);
  await expectHttpError(browserErrors, response?.status() ?? 0);
});
