import type { Page } from "@playwright/test";

import { expectErrorsAbout } from "../support/browser-errors";
import { runChecks, type Check } from "../support/checks";
import { expect, test } from "../support/fixtures";
import {
  countAdPlaceholders,
  countElements,
  holdRequests,
  SECTIONS,
  SHELL,
  waitForEventHandlers,
  waitForHydration,
  waitForPaint,
} from "../support/hydration";
import { expectScreen, follow, SCREENS, type Screen } from "../support/screens";
import { openMarked } from "./before-hydration";

const TERMS = { name: "terms", path: "/terms", heading: "Terms of use" };

/** Screens with every kind of content: links, ads that the browser draws, text and a form. */
const KINDS = SCREENS.filter(({ path }) => ["/", "/city/Texas/Houston", "/terms", "/signup"].includes(path));

/** Updates the shell and the router while a section's code is late: neither may re-render its dehydrated page. */
async function expectPreservedUntilLateCode(page: Page, screen: Screen): Promise<void> {
  const startShell = await holdRequests(page, SHELL);
  const startSections = await holdRequests(page, SECTIONS);
  const { marked } = await openMarked(page, screen);
  const preserved = marked - (await countAdPlaceholders(page));
  startShell();
  await waitForEventHandlers(page);
  // Opening the dialog updates the shell's state, twice: it shows a placeholder first.
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog")).toBeHidden();
  expect((await countElements(page)).preserved).toBe(marked);
  // The router must ignore fragment navigations and the way back from them.
  await page.getByRole("link", { name: "Skip to content" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#main$/);
  // The load event has not fired: the document still waits for the section.
  await page.goBack({ waitUntil: "commit" });
  await expect(page).not.toHaveURL(/#/);
  expect((await countElements(page)).preserved).toBe(marked);
  // A changed query string updates the router's contexts around the page.
  await follow(page, "?x=1");
  await expect(page).toHaveURL(/\?x=1$/);
  await waitForPaint(page);
  expect((await countElements(page)).preserved).toBe(marked);
  startSections();
  await waitForHydration(page);
  expect((await countElements(page)).preserved).toBe(preserved);
}

test("Updates before the code loads preserve every element", async ({ page }) => {
  test.setTimeout(120_000);
  await runChecks(
    (process.env.SOAK ? SCREENS : KINDS).map((screen): Check => [
      screen.name,
      async () => {
        await page.unrouteAll();
        await expectPreservedUntilLateCode(page, screen);
      },
    ]),
  );
});

test("Fragment navigation preserves every element", async ({ page }) => {
  const startShell = await holdRequests(page, SHELL);
  const { marked } = await openMarked(page, TERMS);
  const contents = page.getByRole("navigation", { name: "Contents" });
  await contents.getByRole("link", { name: "Disclaimers" }).click();
  await expect(page.getByRole("heading", { name: /Disclaimers$/ })).toBeInViewport();
  startShell();
  await waitForHydration(page);
  await expect(page.getByRole("heading", { name: /Disclaimers$/ })).toBeInViewport();
  await contents.getByRole("link", { name: "Contact" }).click();
  await expect(page.getByRole("heading", { name: /Contact$/ })).toBeInViewport();
  await page.goBack();
  await expect(page.getByRole("heading", { name: /Disclaimers$/ })).toBeInViewport();
  expect(await countElements(page)).toEqual({ preserved: marked, added: 0 });
});

test("A page whose code fails to load stays usable", async ({ page, browserErrors }) => {
  await page.route(/\/assets\/legal\/.*\.js$/, (route) => route.abort());
  const startShell = await holdRequests(page, SHELL);
  const { marked } = await openMarked(page, TERMS);
  startShell();
  await waitForEventHandlers(page);
  await page.getByRole("contentinfo").getByRole("button", { name: "Join Free" }).click();
  await expect(page.getByRole("dialog", { name: "Create your account" })).toBeVisible();
  await page.keyboard.press("Escape");
  expect((await countElements(page)).preserved).toBe(marked);
  await page.getByRole("contentinfo").getByRole("link", { name: "About" }).click();
  await expectScreen(page, "Guides");
  // After a client-side navigation, the page falls back like any page that cannot load.
  await page.goBack();
  await expect(page.getByRole("main").getByRole("button", { name: "Try again" })).toBeVisible();
  expectErrorsAbout(browserErrors, /Failed to load resource.*\/assets\/legal\//);
});

test("Elements that take names of the document and of the shell hide nothing", async ({ page }) => {
  // As HTML from an upstream may contain them: the browser makes them properties of `document` and of `window`.
  const names = ["body", "createElement", "head", "querySelectorAll"].map((name) => `<form name="${name}"></form>`);
  await page.route("/terms", async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const shell = /"\/assets\/shell\/[^/]*-dev\.(\w+)\//.exec(html)?.[1];
    const section = /"container":"(legal_\w+)"/.exec(html)?.[1];
    const ids = [`webpackChunkshell_${String(shell)}`, `webpackChunk${String(section)}`, String(section)];
    const globals = ids.map((id) => `<i id="${id}"></i>`);
    const planted = `<div id="boot">{"deployment":1}</div>${names.join("")}${globals.join("")}`;
    await route.fulfill({ response, body: html.replace('<div id="root">', `${planted}<div id="root">`) });
  });
  await page.goto("/terms");
  await waitForHydration(page);
  await follow(page, "/about-escort-babylon");
  await expectScreen(page, "Guides");
});
