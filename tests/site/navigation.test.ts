import type { PageAnswer } from "@colonnade/kit/shell";
import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { ARTICLES, expectScreen, follow, open, SCREENS } from "../support/screens";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you are reading." };
const HOUSTON = { name: "Houston", path: "/city/Texas/Houston", heading: "Houston, Texas" };

/** Names of the releases whose files have been asked for so far, each once. */
function watchSections(page: Page): Set<string> {
  const names = new Set<string>();
  page.on("request", (request) => {
    const [, assets, name] = new URL(request.url()).pathname.split("/");
    if (assets === "assets" && name) names.add(name);
  });
  return names;
}

/** Paths of the files that have arrived. */
function fetchedFiles(page: Page): Promise<string[]> {
  return page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
}

/** Marks the document, so that another one is noticed. */
async function markDocument(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    document.body.dataset.same = "document";
  });
  return () => expect(page.locator("body")).toHaveAttribute("data-same", "document");
}

async function scrollPage(page: Page, top: number): Promise<void> {
  await page.evaluate((y) => {
    scrollTo({ top: y, behavior: "instant" });
  }, top);
  await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(top);
}

async function expectScrolledTo(page: Page, top: number): Promise<void> {
  await expect.poll(() => page.evaluate(() => Math.round(scrollY))).toBe(top);
}

test.describe("following a link", () => {
  test("the page arrives in the same document, its heading has the focus, and its title is announced", async ({
    page,
  }) => {
    await open(page, HOME);
    const expectSameDocument = await markDocument(page);
    await page.getByRole("link", { name: "New York", exact: true }).click();
    await expectScreen(page, "Escorts in New York");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await expect(page.locator("[data-announcer]")).toHaveText("Colonnade Directory - Listings in New York");
    await expect(page.locator("[data-announcer]")).toHaveAttribute("aria-live", "polite");
    await page.getByRole("contentinfo").getByRole("link", { name: "Terms" }).click();
    await expectScreen(page, "Terms of use");
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
    await expect(page.locator("[data-announcer]")).toHaveText("Terms of use - Colonnade Directory");
    await expectSameDocument();
  });

  test("the first page neither takes the focus nor is announced: the browser does that", async ({ page }) => {
    await open(page, HOME);
    await expect(page.locator("body")).toBeFocused();
    await expect(page.locator("[data-announcer]")).toBeEmpty();
  });

  for (const [name, path, heading] of [
    ["home", "/", HOME.heading],
    ["a state", "/state/Texas", "Escorts in Texas"],
    ["About", "/about-escort-babylon", "About Colonnade Directory"],
    ["an article", "/about-escort-babylon/safety-guide", "Safety guide"],
  ] as const) {
    test(`moving to ${name} scrolls to top`, async ({ page }) => {
      await open(page, { name: "New York", path: "/state/New%20York", heading: "Escorts in New York" });
      await scrollPage(page, 900);
      await follow(page, path);
      await expectScreen(page, heading);
      await expectScrolledTo(page, 0);
    });
  }

  test("a link to a place within another page leads there", async ({ page }) => {
    await open(page, HOME);
    await follow(page, "/about-escort-babylon/safety-guide");
    await expectScreen(page, "Safety guide");
    await follow(page, "/#faq");
    await expectScreen(page, HOME.heading);
    await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
  });

  test("with a key that asks for another tab, the browser follows it", async ({ page, context }) => {
    await open(page, HOME);
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "New York", exact: true }).click({ modifiers: ["ControlOrMeta"] });
    await expectScreen(await opened, "Escorts in New York");
    await expectScreen(page, HOME.heading);
  });
});

test.describe("the way back", () => {
  test("it restores scroll and the same ads", async ({ page }) => {
    await open(page, HOUSTON);
    const headings = page.getByRole("main").getByRole("article").getByRole("heading");
    const titles = await headings.allInnerTexts();
    await scrollPage(page, 1500);
    await page.getByRole("main").getByRole("article").getByRole("heading").getByRole("link").last().click();
    await expect(page.getByText("Posted in Houston, Texas")).toBeVisible();
    await expectScrolledTo(page, 0);
    const adTitle = await page.getByRole("heading", { level: 1 }).innerText();
    await page.goBack();
    await expectScreen(page, HOUSTON.heading);
    expect(await headings.allInnerTexts()).toEqual(titles);
    // A link below the fold is scrolled into view before it is clicked, so only 'not at the top' is known.
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThanOrEqual(1500);
    await page.goForward();
    await expectScreen(page, adTitle);
    await expectScrolledTo(page, 0);
  });

  test("each step of a longer way has its own position", async ({ page }) => {
    await open(page, HOME);
    await scrollPage(page, 300);
    await follow(page, "/state/California");
    await expectScreen(page, "Escorts in California");
    await scrollPage(page, 4000);
    await follow(page, "/city/California/Oakland");
    await expectScreen(page, "Oakland, California");
    await page.goBack();
    await expectScreen(page, "Escorts in California");
    await expectScrolledTo(page, 4000);
    await page.goBack();
    await expectScreen(page, HOME.heading);
    await expectScrolledTo(page, 300);
  });

  test("a reload keeps the position", async ({ page }) => {
    await open(page, HOUSTON);
    await scrollPage(page, 1200);
    await page.waitForFunction(() => (history.state as { scrollTop?: number } | null)?.scrollTop === 1200);
    await page.reload();
    await expectScreen(page, HOUSTON.heading);
    await expectScrolledTo(page, 1200);
  });
});

test.describe("only what is needed is loaded", () => {
  for (const [section, path] of [
    ["directory", "/"],
    ["directory", "/city/Texas/Houston"],
    ["articles", "/about-escort-babylon"],
    ["legal", "/privacy"],
  ] as const) {
    test(`${path}: the shell, the section ${section}, and, once the browser is idle, the sign-up dialog`, async ({
      page,
    }) => {
      const sections = watchSections(page);
      await page.goto(path, { waitUntil: "networkidle" });
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      expect([...sections].sort()).toEqual(["shell", section, "signup"].sort());
    });
  }

  test("a state's page comes with its cities, and another one loads those of the few states that share a file with it", async ({
    page,
  }) => {
    const bodies: Promise<string>[] = [];
    page.on("response", (response) => {
      if (new URL(response.url()).pathname.startsWith("/assets/directory/")) bodies.push(response.text());
    });
    const response = await page.goto("/state/Wyoming", { waitUntil: "networkidle" });
    await expectScreen(page, "Escorts in Wyoming");
    const html = await response?.text();
    expect(html).toContain("Cheyenne");
    expect(html).not.toMatch(/Yonkers|Montpelier/);
    expect((await Promise.all(bodies)).join("\n")).not.toMatch(/Cheyenne|Yonkers|Montpelier/);

    await follow(page, "/state/Alabama");
    await expectScreen(page, "Escorts in Alabama");
    const loaded = (await Promise.all(bodies)).join("\n");
    expect(loaded).toContain("Tuscaloosa");
    expect(loaded).not.toMatch(/Cheyenne|Yonkers|Montpelier/);
  });

  for (const way of ["hovering", "focusing"] as const) {
    test(`${way} a link fetches what the next page needs, and nothing else`, async ({ page }) => {
      const sections = watchSections(page);
      await page.goto("/", { waitUntil: "networkidle" });
      expect(sections).not.toContain("legal");
      const link = page.getByRole("contentinfo").getByRole("link", { name: "Terms" });
      const asking = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith("/_page/"));
      await (way === "hovering" ? link.hover() : link.focus());
      const { section, assets } = (await (await asking).json()) as PageAnswer;
      const needed = [section.entry, ...[...section.assets, ...assets].map(({ href }) => href)];
      await expect.poll(() => fetchedFiles(page)).toEqual(expect.arrayContaining(needed));
      expect([...sections].sort()).toEqual(["directory", "legal", "shell", "signup"]);
      await expectScreen(page, HOME.heading);

      const later: string[] = [];
      page.on("request", (request) => {
        // The icon is the browser's own affair.
        if (["script", "stylesheet", "fetch"].includes(request.resourceType())) later.push(request.url());
      });
      await link.click();
      await expectScreen(page, "Terms of use");
      expect(later).toEqual([]);
    });
  }

  test("moving between all sections, there is exactly one React in the page", async ({ page }) => {
    await page.addInitScript(() => {
      const renderers: unknown[] = [];
      const hook = {
        supportsFiber: true,
        renderers,
        inject: (renderer: unknown) => renderers.push(renderer),
        onCommitFiberRoot: () => undefined,
        onCommitFiberUnmount: () => undefined,
        onPostCommitFiberRoot: () => undefined,
        checkDCE: () => undefined,
      };
      Object.assign(window, { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook });
    });
    const scripts = new Map<string, Promise<string>>();
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (pathname.endsWith(".js")) scripts.set(pathname, response.text());
    });
    await open(page, HOME);
    const expectSameDocument = await markDocument(page);
    for (const screen of SCREENS) {
      await follow(page, screen.path);
      await expectScreen(page, screen.heading);
    }
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectSameDocument();

    // React DOM makes itself known to the developer tools once for each copy.
    const renderers = await page.evaluate(() => {
      const { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook } = window as unknown as {
        __REACT_DEVTOOLS_GLOBAL_HOOK__: { renderers: unknown[] };
      };
      return hook.renderers.length;
    });
    expect(renderers).toBe(1);
    // A copy of React sets up its own internals; everyone else only reads them.
    const holders = [];
    for (const [pathname, text] of scripts)
      if (/__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE\s*=/.test(await text))
        holders.push(pathname);
    expect(holders).toEqual([expect.stringMatching(/^\/assets\/shell\//)]);
    expect([...scripts.keys()].some((pathname) => pathname.startsWith("/assets/articles/"))).toBe(true);
  });
});

test("every link within the site leads to a page that exists", async ({ page, request }) => {
  const targets = new Set<string>();
  const articles = ARTICLES.map((article) => ({ path: `/about-escort-babylon/${article}` }));
  for (const { path } of [...SCREENS, ...articles]) {
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    const links = await page
      .locator("a[href^='/'], a[href^='#']")
      .evaluateAll((anchors) => anchors.map((anchor) => (anchor as HTMLAnchorElement).href));
    for (const href of links) {
      const { hash, pathname } = new URL(href);
      if (hash && pathname === new URL(page.url()).pathname)
        await expect(page.locator(`[id="${hash.slice(1)}"]`)).toHaveCount(1);
      else if (!/^\/(city|state)\//.test(pathname)) targets.add(pathname);
    }
  }
  for (const path of targets) expect((await request.get(path)).status(), path).toBe(200);
  const known = ["/", "/terms", "/privacy", "/signup", "/about-escort-babylon", ...articles.map(({ path }) => path)];
  expect([...targets].filter((path) => !known.includes(path))).toEqual([]);
});
