import type { ResolvedPage } from "@colonnade/kit/shell";
import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectHttpError } from "../support/http-errors";
import { waitForHydration, waitForPaint } from "../support/hydration";
import { expectScreen, follow, NOT_FOUND_SCREENS, open, SCREENS } from "../support/screens";
import { waitForDialogStyles } from "../support/signup";

const HOME = { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." };
const NEW_YORK = { name: "New York", path: "/state/New%20York", heading: "Escorts in New York" };
const HOUSTON = { name: "Houston", path: "/city/Texas/Houston", heading: "Houston, Texas" };

/** Records the names of the releases whose files the page requests. */
function recordReleases(page: Page): Set<string> {
  const names = new Set<string>();
  page.on("request", (request) => {
    const [, assets, name] = new URL(request.url()).pathname.split("/");
    if (assets === "assets" && name) names.add(name);
  });
  return names;
}

/** Returns the paths of all loaded files. */
function fetchedFiles(page: Page): Promise<string[]> {
  return page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => new URL(name).pathname));
}

/** Marks the document. The returned function expects it not to have been replaced. */
async function markDocument(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => {
    document.body.dataset.same = "document";
  });
  return () => expect(page.locator("body")).toHaveAttribute("data-same", "document");
}

function scrollTop(page: Page): Promise<number> {
  return page.evaluate(() => Math.round(scrollY));
}

/** Scrolls, and waits until the position is stable: content that is laid out on the way may move it. Returns it. */
async function scrollPage(page: Page, top: number): Promise<number> {
  await page.evaluate((y) => {
    scrollTo({ top: y, behavior: "instant" });
  }, top);
  let position = 0;
  await expect(async () => {
    position = await scrollTop(page);
    for (let count = 0; count < 5; count += 1) await waitForPaint(page);
    expect(await scrollTop(page)).toBe(position);
    const saved = await page.evaluate(() => (history.state as { scrollTop?: number } | null)?.scrollTop ?? 0);
    expect(Math.round(saved)).toBe(position);
    expect(position).toBeGreaterThan(0);
  }).toPass();
  return position;
}

async function expectScrolledTo(page: Page, top: number): Promise<void> {
  await expect.poll(() => scrollTop(page)).toBe(top);
}

test.describe("client-side navigation", () => {
  test("keeps the document, focuses the heading, announces the title", async ({ page }) => {
    await open(page, HOME);
    // The browser focuses the first page.
    await expect(page.locator("body")).toBeFocused();
    await expect(page.locator("[data-announcer]")).toBeEmpty();
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

  test("scrolls to the top, or to a fragment of another page", async ({ page }) => {
    await open(page, NEW_YORK);
    for (const [path, heading] of [
      ["/state/Texas", "Escorts in Texas"],
      ["/about-escort-babylon", "Guides"],
      ["/about-escort-babylon/safety-guide", "Safety guide"],
    ] as const) {
      await scrollPage(page, 500);
      await follow(page, path);
      await expectScreen(page, heading);
      await expectScrolledTo(page, 0);
    }
    await follow(page, "/#faq");
    await expectScreen(page, HOME.heading);
    await expect(page.getByRole("heading", { name: "Questions and answers" })).toBeInViewport();
  });

  test("leaves modified clicks to the browser", async ({ page, browser }) => {
    await open(page, HOME);
    // Playwright does not always attach to a tab in the background, so the test asks the browser.
    const devtools = await browser.newBrowserCDPSession();
    await page.getByRole("link", { name: "New York", exact: true }).click({ modifiers: ["ControlOrMeta"] });
    const tabs = async () => (await devtools.send("Target.getTargets")).targetInfos.map(({ title }) => title);
    await expect.poll(tabs).toContain("Colonnade Directory - Listings in New York");
    await expectScreen(page, HOME.heading);
  });
});

test.describe("Back", () => {
  const link = (page: Page, name: string | RegExp) => page.getByRole("main").getByRole("link", { name, exact: true });
  const texas = (page: Page) => link(page, "Texas");
  const houston = (page: Page) => link(page, /^Houston Texas/);

  /** From home to a state and a city, from far down each page. Returns the scroll positions. */
  async function browse(page: Page): Promise<{ home: number; state: number }> {
    await open(page, HOME);
    await texas(page).scrollIntoViewIfNeeded();
    const home = await scrollPage(page, await scrollTop(page));
    await texas(page).click();
    await expectScreen(page, "Escorts in Texas");
    // An extension, which appears above what is scrolled to.
    await expect(page.getByRole("navigation", { name: "Before you meet anyone" })).toBeVisible();
    await houston(page).scrollIntoViewIfNeeded();
    const state = await scrollPage(page, await scrollTop(page));
    await houston(page).click();
    await expectScreen(page, HOUSTON.heading);
    return { home, state };
  }

  test("restores scroll and focus of all entries, also from another document and after a reload", async ({ page }) => {
    const positions = await browse(page);
    const expectState = async (): Promise<void> => {
      await expectScreen(page, "Escorts in Texas");
      await expect(houston(page)).toBeFocused();
      await expectScrolledTo(page, positions.state);
    };
    await page.reload();
    await expectScreen(page, HOUSTON.heading);
    await waitForHydration(page);
    await page.goBack();
    await expectState();
    await page.goto("/healthz");
    await page.goBack();
    await expectState();
    await page.reload();
    await expectScreen(page, "Escorts in Texas");
    await expectScrolledTo(page, positions.state);
    await page.goBack();
    await expectScreen(page, HOME.heading);
    await expect(texas(page)).toBeFocused();
    await expectScrolledTo(page, positions.home);
  });

  test("focuses the search that was used, or the heading if the link is gone", async ({ page }) => {
    await open(page, HOME);
    const search = page.getByRole("combobox", { name: "Find a city or state" });
    await search.fill("texas");
    await page.keyboard.press("Enter");
    await expectScreen(page, "Escorts in Texas");
    await page.goBack();
    await expectScreen(page, HOME.heading);
    await expect(search).toBeFocused();
    await follow(page, "/terms");
    await expectScreen(page, "Terms of use");
    await page.goBack();
    await expectScreen(page, HOME.heading);
    await expect(page.getByRole("heading", { level: 1 })).toBeFocused();
  });
});

test.describe("loading", () => {
  test("A page loads its section first, the sign-up dialog when idle", async ({ page }) => {
    const releases = recordReleases(page);
    for (const [sections, path] of [
      [["directory"], "/"],
      // Its extension is part of the page.
      [["directory", "articles"], "/city/Texas/Houston"],
      [["articles"], "/about-escort-babylon"],
      [["legal"], "/privacy"],
    ] as const) {
      releases.clear();
      await page.goto(path, { waitUntil: "networkidle" });
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      await expect.poll(() => [...releases].sort(), path).toEqual(["shell", ...sections, "signup"].sort());
    }
  });

  test("A state's document has its cities; another loads one chunk", async ({ page }) => {
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

  test("hovering a link prefetches exactly the next page", async ({ page }) => {
    const sections = recordReleases(page);
    await open(page, HOME);
    await waitForDialogStyles(page);
    expect(sections).not.toContain("legal");
    const link = page.getByRole("contentinfo").getByRole("link", { name: "Terms" });
    const answering = page.waitForResponse((response) => new URL(response.url()).pathname.startsWith("/_page/"));
    await link.hover();
    const { section, assets } = (await (await answering).json()) as ResolvedPage;
    const needed = [section.entry, ...[...section.assets, ...assets].map(({ href }) => href)];
    await expect.poll(() => fetchedFiles(page)).toEqual(expect.arrayContaining(needed));
    expect([...sections].sort()).toEqual(["directory", "legal", "shell", "signup"]);
    await expectScreen(page, HOME.heading);

    const later: string[] = [];
    page.on("request", (request) => {
      // Browsers request the icon at any time.
      if (["script", "stylesheet", "fetch"].includes(request.resourceType())) later.push(request.url());
    });
    // Without a pointer, below which another link could come and prefetch its page.
    await page.mouse.move(0, 0);
    await link.press("Enter");
    await expectScreen(page, "Terms of use");
    expect(later).toEqual([]);
  });

  test("All sections share one React, and violate no policy", async ({ page, browserErrors }) => {
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
    for (const screen of [...SCREENS, ...NOT_FOUND_SCREENS]) {
      await follow(page, screen.path);
      await expectScreen(page, screen.heading);
    }
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await expectSameDocument();
    await expectHttpError(browserErrors, 404);

    // Each copy of React DOM registers with the developer tools.
    const renderers = await page.evaluate(() => {
      const { __REACT_DEVTOOLS_GLOBAL_HOOK__: hook } = window as unknown as {
        __REACT_DEVTOOLS_GLOBAL_HOOK__: { renderers: unknown[] };
      };
      return hook.renderers.length;
    });
    expect(renderers).toBe(1);
    // Each copy of React assigns its internals; other code only reads them.
    const holders = [];
    for (const [pathname, text] of scripts)
      if (/__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE\s*=/.test(await text))
        holders.push(pathname);
    expect(holders).toEqual([expect.stringMatching(/^\/assets\/shell\//)]);
    expect([...scripts.keys()].some((pathname) => pathname.startsWith("/assets/articles/"))).toBe(true);
  });
});
