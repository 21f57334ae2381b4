// Head tags after client-side navigation. The rendering tests check the head of each document.
import { expect, test } from "../support/fixtures";
import { expectHead, readHead } from "../support/head";
import { ARTICLE_ROUTES, ORIGIN } from "../support/routes";
import { expectScreen, follow } from "../support/screens";

test("Articles are indexable, each with its own description", async ({ page }) => {
  // Skips nine view transitions.
  await page.emulateMedia({ reducedMotion: "reduce" });
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

test("Each page replaces all head tags of the previous page", async ({ page }) => {
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
    social: {
      title: "Colonnade Directory - Listings in New York",
      description: expect.stringContaining("175 cities"),
      type: "website",
      url: `${ORIGIN}/state/New%20York`,
    },
  });
  await follow(page, "/success");
  await expectScreen(page, "Your account");
  await expectHead(page, {
    title: "Your account - Colonnade Directory",
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
