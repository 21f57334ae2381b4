import { expect, type Page } from "@playwright/test";

/** One screen of the site, at an address that shows it. */
export interface Screen {
  readonly name: string;
  readonly path: string;
  /** Its heading of the first level. */
  readonly heading: string;
}

/** Last segments of the articles' paths, in the hub's order. */
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

/** Every screen that exists, for what holds on all of them. */
export const SCREENS: readonly Screen[] = [
  { name: "home", path: "/", heading: "Browse by state. Know what you are reading." },
  { name: "a state", path: "/state/New%20York", heading: "Escorts in New York" },
  { name: "a state without a menu", path: "/state/Alabama", heading: "Escorts in Alabama" },
  { name: "a state with a centred logo", path: "/state/Oklahoma", heading: "Escorts in Oklahoma" },
  { name: "a city", path: "/city/Texas/Houston", heading: "Houston, Texas" },
  { name: "an ad", path: "/city/Texas/Houston/ad/4251", heading: "Coffee and an unhurried conversation" },
  { name: "the terms", path: "/terms", heading: "Terms of use" },
  { name: "the privacy policy", path: "/privacy", heading: "Privacy policy" },
  { name: "the About hub", path: "/about-escort-babylon", heading: "About Colonnade Directory" },
  { name: "an article", path: "/about-escort-babylon/safety-guide", heading: "Safety guide" },
  { name: "sign-up", path: "/signup", heading: "Create your account" },
  { name: "success", path: "/success", heading: "Thank you for signing up" },
];

/** Screens for addresses where nothing is. */
export const MISSING: readonly Screen[] = [
  { name: "no page", path: "/nowhere", heading: "Page not found" },
  { name: "no state", path: "/state/Nowhere", heading: "State not found" },
  { name: "no city", path: "/city/Texas/Nowhere", heading: "City not found" },
  { name: "no ad", path: "/city/Texas/Houston/ad/1", heading: "Ad not found" },
  { name: "no article", path: "/about-escort-babylon/nothing", heading: "Article not found" },
];

/** Waits until a screen with that heading is shown, and nothing in its place. */
export async function expectScreen(page: Page, heading: string): Promise<void> {
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(heading);
}

/** Opens a screen with a document of its own. */
export async function open(page: Page, { path, heading }: Screen): Promise<void> {
  await page.goto(path);
  await expectScreen(page, heading);
}

/** Follows a link to `path` within the page that is shown, as any link a section draws would be followed. */
export async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((href) => {
    const link = document.createElement("a");
    link.href = href;
    document.body.append(link);
    link.click();
    link.remove();
  }, path);
}
