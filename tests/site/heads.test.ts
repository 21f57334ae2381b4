import { expect, test } from "../support/fixtures";
import { expectHead, readHead } from "../support/head";
import { ARTICLE_ROUTES, ORIGIN, ROUTES } from "../support/routes";
import { expectScreen, follow } from "../support/screens";

for (const { path, canonical = path, title, robots } of ROUTES) {
  test(`${path}: title, description, canonical link (absolute, from the configured origin, path parts percent-encoded) and ${robots ?? "no"} robots`, async ({
    page,
  }) => {
    await page.goto(path);
    await expectHead(page, { title, robots, canonical: `${ORIGIN}${canonical}` });
    expect((await readHead(page)).description).toMatch(/\w.{20}/);
  });
}

test("all nine articles may be indexed, each with a description of its own", async ({ page }) => {
  const descriptions = new Set<string | null>();
  await page.goto("/about-escort-babylon");
  for (const { path, title } of ARTICLE_ROUTES) {
    await follow(page, path);
    await expectHead(page, { title, robots: null, canonical: `${ORIGIN}${path}` });
    const { description, social } = await readHead(page);
    expect(social).toMatchObject({ type: "article", url: `${ORIGIN}${path}`, description });
    descriptions.add(description);
  }
  expect(descriptions.size).toBe(9);
});

test("a state's head has keywords, and social tags: title, description that includes the city count, type website, url", async ({
  page,
}) => {
  await page.goto("/state/New%20York");
  await expectHead(page, {
    title: "Colonnade Directory - Listings in New York",
    keywords: expect.stringContaining("New York"),
    social: {
      title: "Colonnade Directory - Listings in New York",
      description: expect.stringContaining("175 cities"),
      type: "website",
      url: `${ORIGIN}/state/New%20York`,
    },
  });
});

test("the document itself is marked as adult, whatever the page", async ({ page }) => {
  for (const path of ["/", "/state/Texas", "/terms"]) {
    await page.goto(path);
    await expect(page.locator("meta[name=rating]")).toHaveAttribute("content", "adult");
  }
});

test("the head is kept in step: each page has its own tags and none of the page before", async ({ page }) => {
  await page.goto("/");
  const home = {
    title: "Colonnade Directory - Browse by State and City",
    canonical: `${ORIGIN}/`,
    robots: null,
    keywords: null,
  };
  await expectHead(page, home);
  await follow(page, "/state/New%20York");
  await expectHead(page, {
    title: "Colonnade Directory - Listings in New York",
    canonical: `${ORIGIN}/state/New%20York`,
    robots: "noindex,nofollow",
    keywords: expect.stringContaining("New York"),
  });
  await follow(page, "/success");
  await expectScreen(page, "Thank you for signing up");
  await expectHead(page, {
    title: "You are signed up - Colonnade Directory",
    canonical: `${ORIGIN}/success`,
    robots: "noindex",
    keywords: null,
  });
  await follow(page, "/state/Nowhere");
  await expectHead(page, {
    title: "State not found - Colonnade Directory",
    canonical: null,
    description: null,
    robots: "noindex",
    social: {},
  });
  await follow(page, "/");
  await expectHead(page, home);
  await page.goBack();
  await expectHead(page, { title: "State not found - Colonnade Directory", canonical: null });
});
