import type { Boot } from "@colonnade/kit/shell";
import type { Page } from "@playwright/test";

import { expect, test } from "../support/fixtures";
import { expectRefused } from "../support/failures";
import { ARTICLES, expectScreen, follow, MISSING, SCREENS, type Screen } from "../support/screens";
import {
  countElements,
  countLoading,
  drawn,
  hold,
  listening,
  markElements,
  SECTIONS,
  SHELL,
  takenOver,
} from "../support/hydration";

// A city's ads are drawn for each visitor, in the place of these words.
const LOADING = "Loading ads...";

/** Opens a screen's document, without the shell's code, and marks its elements. Returns how many are to stay. */
async function openMarked(page: Page, { path, heading }: Screen): Promise<number> {
  await page.goto(path, { waitUntil: "commit" });
  await expectScreen(page, heading);
  await expect(page.getByRole("contentinfo")).toBeVisible();
  const marked = await markElements(page);
  expect(marked).toBeGreaterThan(10);
  return marked - (await countLoading(page));
}

for (const screen of SCREENS) {
  test(`${screen.name}: every element the document came with is kept`, async ({ page }) => {
    const startShell = await hold(page, SHELL);
    const staying = await openMarked(page, screen);
    startShell();
    await takenOver(page);
    expect((await countElements(page)).kept).toBe(staying);
    await expect(page.getByText(LOADING)).toHaveCount(0);
  });

  test(`${screen.name}: so it is where the section's code is late and the frame around it changes`, async ({
    page,
  }) => {
    const startShell = await hold(page, SHELL);
    const startSections = await hold(page, SECTIONS);
    const staying = await openMarked(page, screen);
    const { kept: all } = await countElements(page);
    startShell();
    await listening(page);
    // The dialog that opens is an update of the shell's state, and so is another that says it is on its way.
    await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
    await expect(page.getByRole("dialog")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toBeHidden();
    expect((await countElements(page)).kept).toBe(all);
    // So would be a jump within the page, and the way back from it, if the router heard of them.
    await page.getByRole("link", { name: "Skip to content" }).focus();
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/#main$/);
    // The document itself is not loaded yet: its own section is awaited.
    await page.goBack({ waitUntil: "commit" });
    await expect(page).not.toHaveURL(/#/);
    expect((await countElements(page)).kept).toBe(all);
    // And a link to the same page with a query changes the router's own contexts, which the page is drawn within.
    await follow(page, "?x=1");
    await expect(page).toHaveURL(/\?x=1$/);
    await drawn(page);
    expect((await countElements(page)).kept).toBe(all);
    startSections();
    await takenOver(page);
    expect((await countElements(page)).kept).toBe(staying);
  });
}

test("so is every element of the other articles", async ({ page }) => {
  const startShell = await hold(page, SHELL);
  for (const article of ARTICLES) {
    await page.goto(`/about-escort-babylon/${article}`, { waitUntil: "commit" });
    await expect(page.getByRole("contentinfo")).toBeVisible();
    const marked = await markElements(page);
    startShell();
    await takenOver(page);
    expect((await countElements(page)).kept, article).toBe(marked);
  }
});

test("so is every element of the screens for what does not exist", async ({ page, complaints }) => {
  for (const screen of MISSING) {
    const startShell = await hold(page, SHELL);
    const staying = await openMarked(page, screen);
    startShell();
    await takenOver(page);
    expect(await countElements(page), screen.name).toEqual({ kept: staying, others: 0 });
    await page.unrouteAll();
  }
  await expectRefused(complaints, 404);
});

test("a jump within the page before the shell's code, and within it after, keep every element", async ({ page }) => {
  const startShell = await hold(page, SHELL);
  const staying = await openMarked(page, { name: "terms", path: "/terms", heading: "Terms of use" });
  const contents = page.getByRole("navigation", { name: "Contents" });
  await contents.getByRole("link", { name: "Disclaimers" }).click();
  await expect(page.getByRole("heading", { name: /Disclaimers$/ })).toBeInViewport();
  startShell();
  await takenOver(page);
  await expect(page.getByRole("heading", { name: /Disclaimers$/ })).toBeInViewport();
  await contents.getByRole("link", { name: "Contact" }).click();
  await expect(page.getByRole("heading", { name: /Contact$/ })).toBeInViewport();
  await page.goBack();
  await expect(page.getByRole("heading", { name: /Disclaimers$/ })).toBeInViewport();
  expect(await countElements(page)).toEqual({ kept: staying, others: 0 });
});

test("a page whose code never comes stays to be read, and its links and forms work", async ({ page, complaints }) => {
  await page.route(/\/assets\/legal\/.*\.js$/, (route) => route.abort());
  const startShell = await hold(page, SHELL);
  const staying = await openMarked(page, { name: "terms", path: "/terms", heading: "Terms of use" });
  startShell();
  await listening(page);
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog", { name: "Create your account" })).toBeVisible();
  await page.keyboard.press("Escape");
  expect((await countElements(page)).kept).toBe(staying);
  await page.getByRole("contentinfo").getByRole("link", { name: "About" }).click();
  await expectScreen(page, "About Colonnade Directory");
  // Who has left it comes back to what any page shows that cannot be loaded.
  await page.goBack();
  await expect(page.getByRole("main").getByRole("button", { name: "Try again" })).toBeVisible();
  expect(complaints.errors.filter((text) => !/Failed to load resource.*\/assets\/legal\//.test(text))).toEqual([]);
  complaints.errors.length = 0;
});

test("the boot payload carries the page's data, and the page asks for none", async ({ page }) => {
  const bodies: Promise<string>[] = [];
  page.on("response", (response) => {
    if (new URL(response.url()).pathname.startsWith("/assets/directory/")) bodies.push(response.text());
  });
  await page.goto("/state/Wyoming", { waitUntil: "networkidle" });
  await takenOver(page);
  const boot = JSON.parse((await page.locator("#boot").textContent()) ?? "") as Boot;
  expect(boot.view).toMatchObject({ kind: "page", data: { state: { name: "Wyoming" } } });
  expect(bodies.length).toBeGreaterThan(0);
  expect((await Promise.all(bodies)).join("\n")).not.toContain("Cheyenne");
});
