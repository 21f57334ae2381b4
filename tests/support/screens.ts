import { expect, type Page } from "@playwright/test";

import { SHELL_STARTED, waitForHydration } from "./hydration";

/** A screen of the site and a path that shows it. */
export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Text of the `h1`. */
  readonly heading: string;
}

/** Article slugs, in the hub's order. */
export const ARTICLES = [
  "what-is-escort-babylon",
  "platform-comparison",
  "safety-guide",
  "top-cities",
  "profile-tips",
  "legal-guide",
  "platform-evolution",
  "red-flags",
  "escort-experiences",
] as const;

/** Every screen, for assertions that apply to all of them. */
export const SCREENS: readonly Screen[] = [
  { name: "home", path: "/", heading: "Browse by state. Know what you’re reading." },
  { name: "a state", path: "/state/New%20York", heading: "Escorts in New York" },
  { name: "a state without a menu", path: "/state/Alabama", heading: "Escorts in Alabama" },
  { name: "a state with a centered logo", path: "/state/Oklahoma", heading: "Escorts in Oklahoma" },
  { name: "a city", path: "/city/Texas/Houston", heading: "Houston, Texas" },
  { name: "an ad", path: "/city/Texas/Houston/ad/4251", heading: "Coffee and an unhurried conversation" },
  { name: "the terms", path: "/terms", heading: "Terms of use" },
  { name: "the privacy policy", path: "/privacy", heading: "Privacy policy" },
  { name: "the receipt", path: "/privacy/receipt", heading: "What this site knows about you right now" },
  { name: "the About hub", path: "/about-escort-babylon", heading: "Guides" },
  { name: "an article", path: "/about-escort-babylon/safety-guide", heading: "Safety guide" },
  { name: "sign-up", path: "/signup", heading: "Create your account" },
  { name: "success", path: "/success", heading: "Your account" },
];

/** The screens of paths that do not exist. */
export const NOT_FOUND_SCREENS: readonly Screen[] = [
  { name: "no page", path: "/nowhere", heading: "Page not found" },
  { name: "no state", path: "/state/Nowhere", heading: "State not found" },
  { name: "no city", path: "/city/Texas/Nowhere", heading: "City not found" },
  { name: "no ad", path: "/city/Texas/Houston/ad/1", heading: "Ad not found" },
  { name: "no article", path: "/about-escort-babylon/nothing", heading: "Guide not found" },
];

/** Waits until the screen with this heading is shown. */
export async function expectScreen(page: Page, heading: string): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
}

/** Opens a screen with a full page load, and waits until it can be used. */
export async function open(page: Page, { path, heading }: Screen): Promise<void> {
  await page.goto(path);
  await expectScreen(page, heading);
  await waitForHydration(page);
}

/** Clicks a new link to `path` in the current page, like any link in a section, once the shell handles it. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.locator(SHELL_STARTED).evaluate((_, href) => {
    const link = document.createElement("a");
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
}
