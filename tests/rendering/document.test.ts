// What documents say without any script. Script is switched off, so the browser shows the document as it came.
import { expectToday } from "../support/dates";
import { expectRefused } from "../support/failures";
import { expect, test } from "../support/fixtures";
import { readHead } from "../support/head";
import { ARTICLE_ROUTES, ORIGIN, ROUTES } from "../support/routes";
import { expectScreen, MISSING } from "../support/screens";

interface TrailItem {
  readonly position: number;
  readonly name: string;
  readonly item: string;
}

/** The blocks for search engines in a document. */
function trailsIn(html: string): { readonly itemListElement: readonly TrailItem[] }[] {
  const blocks = html.matchAll(/<script data-head="" type="application\/ld\+json">(.*?)<\/script>/g);
  return [...blocks].map(([, json = ""]) => JSON.parse(json) as { itemListElement: TrailItem[] });
}

test.use({ javaScriptEnabled: false });

for (const { path, canonical = path, title, robots, heading, trail, words = [] } of [...ROUTES, ...ARTICLE_ROUTES]) {
  test(`${path}: status, head and text`, async ({ page, site }) => {
    expect(site.rendered).toBe(true);
    const response = await page.goto(path);
    expect(response?.status()).toBe(200);
    await expectScreen(page, heading);
    for (const text of words) await expect(page.locator("body")).toContainText(text);
    await expect(page.getByRole("contentinfo")).toContainText("18+ only");
    await expect(page.locator("body")).not.toContainText("needs JavaScript");

    const head = await readHead(page);
    expect(head).toMatchObject({ title, robots, canonical: `${ORIGIN}${canonical}` });
    expect(head.description).toMatch(/\w.{20}/);
    await expect(page.locator("meta[name=rating]")).toHaveAttribute("content", "adult");
    const html = (await response?.text()) ?? "";
    expect(trailsIn(html)).toEqual(
      trail
        ? [
            {
              "@context": "https://schema.org",
              "@type": "BreadcrumbList",
              itemListElement: trail.map(([name, at], index) => ({
                "@type": "ListItem",
                position: index + 1,
                name,
                item: `${ORIGIN}${at}`,
              })),
            },
          ]
        : [],
    );
  });
}

for (const { name, path, heading } of MISSING) {
  test(`${name}: HTTP 404, noindex, and the screen`, async ({ page, complaints }) => {
    const response = await page.goto(path);
    expect(response?.status()).toBe(404);
    await expectScreen(page, heading);
    await expect(page.getByRole("main").getByRole("link", { name: "Return to home" })).toHaveAttribute("href", "/");
    await expect(page.getByRole("contentinfo")).toContainText("18+ only");
    expect(await readHead(page)).toEqual({
      title: `${heading} - Colonnade Directory`,
      description: null,
      canonical: null,
      robots: "noindex",
      keywords: null,
      social: {},
    });
    await expectRefused(complaints, 404);
  });
}

test("a state's head has keywords and social tags", async ({ page }) => {
  await page.goto("/state/New%20York");
  const { keywords, description, social } = await readHead(page);
  expect(keywords).toContain("New York");
  expect(social).toEqual({
    title: "Colonnade Directory - Listings in New York",
    description,
    type: "website",
    url: `${ORIGIN}/state/New%20York`,
    image: expect.stringContaining("/assets/shell/") as unknown,
    "image:width": "1200",
    "image:height": "630",
    "image:alt": expect.stringMatching(/./) as unknown,
  });
  expect(description).toContain("175 cities");
});

test("a city says that its ads are loading, and lists those that everybody sees where no script draws them", async ({
  page,
}) => {
  const response = await page.goto("/city/Texas/Houston");
  const html = (await response?.text()) ?? "";
  const [before = "", list = "", after = ""] = html.split(/<\/?noscript>/);
  expect(before).toMatch(
    /Houston, Texas<\/h1>.*The listings here are samples and no real people\..*Loading ads\.\.\.</s,
  );
  expect(before + after).not.toContain("Reply to Ad");
  expect(list.match(/<article/g)).toHaveLength(30);

  // They would be no words to read where nothing is loading.
  await expect(page.getByText("Loading ads...")).toBeHidden();
  const cards = page.getByRole("main").getByRole("article");
  await expect(cards).toHaveCount(30);
  await expect(cards.getByText("Sample ad", { exact: true })).toHaveCount(30);
  await expect(cards.getByText("most popular")).toHaveCount(2);
  for (const index of [0, 1]) await expect(cards.nth(index)).toContainText("most popular");
  const links = await cards
    .getByRole("heading")
    .getByRole("link")
    .evaluateAll((anchors) => anchors.map((a) => a.getAttribute("href")));
  expect(links).toEqual(Array.from({ length: 28 }, (_, index) => `/city/Texas/Houston/ad/${String(4251 + index)}`));
});

test("'Last updated' is today (UTC)", async ({ page }) => {
  for (const path of ["/terms", "/privacy"]) {
    await page.goto(path);
    await expectToday(page.getByText(/^Last updated/), "Last updated");
  }
});

test("the policy allows the stylesheets that stand in the document, and no other script or style", async ({ page }) => {
  for (const path of ["/", "/signup", "/nowhere"]) {
    const response = await page.request.get(path);
    const policy = response.headers()["content-security-policy"] ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(policy).toMatch(/style-src 'self'( 'sha256-[A-Za-z0-9+/=]+')+;/);
    expect(await response.text()).not.toMatch(/ style="|<style>|<script>| on\w+="/);
  }
});

test("HEAD answers as GET does, and what is unchanged is not sent again", async ({ page }) => {
  const whole = await page.request.get("/state/California");
  const head = await page.request.head("/state/California");
  expect(head.headers()).toMatchObject({ etag: whole.headers().etag, "content-type": whole.headers()["content-type"] });
  const again = await page.request.get("/state/California", {
    headers: { "if-none-match": whole.headers().etag ?? "" },
  });
  expect(again.status()).toBe(304);
});
