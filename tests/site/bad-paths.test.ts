import { expect, test } from "../support/fixtures";
import { expectRefused } from "../support/failures";
import { expectScreen, follow } from "../support/screens";

const LONG = `/city/Texas/${"x".repeat(10 * 1024)}`;

for (const [name, path, status] of [
  ["bad percent-encoding", "/state/%F0%28", 400],
  ["an encoded slash", "/city/Texas/..%2f..", 400],
  ["an encoded NUL", "/state/Texas%00", 400],
  ["a lone percent sign", "/state/100%", 400],
  ["10 KB", LONG, 414],
] as const) {
  test(`a path with ${name} is refused cleanly, and the site goes on`, async ({ page, complaints }) => {
    const response = await page.goto(path);
    expect(response?.status()).toBe(status);
    expect(response?.headers()["content-type"]).toMatch(/^text\/html/);
    await expect(page.locator("body")).toHaveText(/\w+ \w+/);
    await expect(page.getByRole("contentinfo")).toHaveText("18+ only");
    await expect(page.locator("body")).not.toHaveText(/panicked|stack|\.rs\b|undefined|%F0|x{100}/);
    await expectRefused(complaints, status);
    await page.goto("/state/Texas");
    await expectScreen(page, "Escorts in Texas");
  });

  test(`a link to a path with ${name} shows that nothing is there, and the site goes on`, async ({
    page,
    complaints,
  }) => {
    await page.goto("/terms");
    await expectScreen(page, "Terms of use");
    await follow(page, path);
    await expectScreen(page, "Page not found");
    await expect.poll(() => complaints.errors.length).toBeGreaterThan(0);
    expect(complaints.errors.filter((text) => !/the server responded with a status of 4\d\d/.test(text))).toEqual([]);
    complaints.errors.length = 0;
    await page.getByRole("link", { name: "Return to home" }).click();
    await expectScreen(page, "Browse by state. Know what you are reading.");
  });
}

test("a fragment with bad percent-encoding leads to the top of its page", async ({ page }) => {
  await page.goto("/terms#%F0%28");
  await expectScreen(page, "Terms of use");
  await follow(page, "/privacy#%");
  await expectScreen(page, "Privacy policy");
  // What a place in the page does, it does a frame after the page is there.
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
});

test("dot segments lead where the browser says, never out of the site", async ({ page, complaints }) => {
  await page.goto("/city/Texas/Houston/../../../state/Texas");
  await expectScreen(page, "Escorts in Texas");
  await expect(page).toHaveURL("/state/Texas");
  const response = await page.goto("/assets/directory/%2e%2e/%2e%2e/etc/passwd");
  expect(response?.status()).toBeGreaterThanOrEqual(400);
  await expectRefused(complaints, response?.status() ?? 0);
});

test("names that mean something to JavaScript or HTML are names like others", async ({ page, complaints }) => {
  for (const name of ["__proto__", "toString", "<b>", "'\"><img src=x>", "{{7*7}}"]) {
    await page.goto(`/city/Texas/${encodeURIComponent(name)}`);
    await expectScreen(page, "City not found");
  }
  await expectRefused(complaints, 404);
});
