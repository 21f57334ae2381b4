import { expect, test } from "../support/fixtures";
import { expectHead, readHead, type HeadTags } from "../support/head";
import { ARTICLES, expectScreen, follow } from "../support/screens";

// The configured origin, which is not the address the site is tested at.
const ORIGIN = "http://localhost:8080";

interface Route extends Pick<HeadTags, "title" | "robots"> {
  readonly path: string;
  /** Path of the canonical link, where it is not `path` itself. */
  readonly canonical?: string;
}

const ROUTES: readonly Route[] = [
  { path: "/", title: "Colonnade Directory - Browse by State and City", robots: null },
  {
    path: "/state/New%20York",
    title: "Colonnade Directory - Listings in New York",
    robots: "noindex,nofollow",
  },
  {
    path: "/state/%4eew%20%59ork",
    canonical: "/state/New%20York",
    title: "Colonnade Directory - Listings in New York",
    robots: "noindex,nofollow",
  },
  {
    path: "/city/New%20York/New%20York",
    title: "Colonnade Directory - Listings in New York, New York",
    robots: "noindex",
  },
  {
    path: "/city/Hawaii/%E2%80%98Ewa%20Beach",
    title: "Colonnade Directory - Listings in ‘Ewa Beach, Hawaii",
    robots: "noindex",
  },
  {
    path: "/city/California/La%20Ca%C3%B1ada%20Flintridge/ad/4251",
    title: "Colonnade Directory - Coffee and an unhurried conversation in La Cañada Flintridge, California",
    robots: "noindex",
  },
  { path: "/signup", title: "Sign up - Colonnade Directory", robots: "noindex" },
  { path: "/success", title: "You are signed up - Colonnade Directory", robots: "noindex" },
  { path: "/terms", title: "Terms of use - Colonnade Directory", robots: null },
  { path: "/privacy", title: "Privacy policy - Colonnade Directory", robots: "noindex" },
  { path: "/about-escort-babylon", title: "About Colonnade Directory", robots: null },
  {
    path: "/about-escort-babylon/platform-comparison",
    title: "How to compare platforms - Colonnade Directory",
    robots: null,
  },
];

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
  for (const article of ARTICLES) {
    const path = `/about-escort-babylon/${article}`;
    await follow(page, path);
    await expectHead(page, { robots: null, canonical: `${ORIGIN}${path}` });
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
