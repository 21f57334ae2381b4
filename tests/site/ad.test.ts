import { expect, test } from "../support/fixtures";
import { expectScreen } from "../support/screens";

const AD = "/city/Texas/Houston/ad/4251";

test("An ad's lines break as written, and its links lead to the next", async ({ page }) => {
  await page.goto(AD);
  await expectScreen(page, "Coffee and an unhurried conversation");
  const description = page.getByText(/^One good café/);
  // innerText has the rendered line breaks, not those of the source.
  expect(await description.evaluate((text) => (text as HTMLElement).innerText.split("\n"))).toEqual([
    "One good café, two cups, no agenda.",
    "Books, work, weather, or nothing in particular.",
    "The second cup is usually where it gets interesting.",
  ]);
  await page
    .getByRole("navigation", { name: "Other ads" })
    .getByRole("link", { name: /^Next sample/ })
    .click();
  await expect(page).toHaveURL("/city/Texas/Houston/ad/4252");
});

test("All 50 regular ad pages have a sample badge and age 21 to 29", async ({ page }) => {
  const titles = new Set<string>();
  for (let id = 4251; id <= 4300; id += 1) {
    const response = await page.request.get(`/city/Texas/Houston/ad/${String(id)}`);
    expect(response.status()).toBe(200);
    const html = await response.text();
    expect(html).toMatch(/<title>[^<]+ in Houston, Texas<\/title>/);
    expect(html).toMatch(new RegExp(`rel="canonical" href="[^"]*/ad/${String(id)}"`));
    const [, main = ""] = /<main.*?>(.*)<\/main>/s.exec(html) ?? [];
    expect(main).toMatch(/>Age: 2[1-9]</);
    expect(main).toContain(">Sample ad<");
    titles.add(/<h1[^>]*>([^<]+)</.exec(main)?.[1] ?? "");
  }
  expect(titles.size).toBe(50);
});
