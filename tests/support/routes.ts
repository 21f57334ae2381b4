import type { HeadTags } from "./head";

/** The configured origin. It differs from the URL under test. */
export const ORIGIN = "http://localhost:8080";

/** A URL path and the expected content of its page. */
export interface Route extends Pick<HeadTags, "title" | "robots"> {
  readonly path: string;
  /** Path of the canonical link (default: `path`). */
  readonly canonical?: string;
  /** Text of the `h1`. */
  readonly heading: string;
  /** Breadcrumbs in the structured data. The page has none if omitted. */
  readonly breadcrumbs?: readonly (readonly [name: string, path: string])[];
  /** Other text on the page. */
  readonly texts?: readonly string[];
}

const BRAND = "Colonnade Directory";
const HOME = ["Home", "/"] as const;
const ABOUT = ["Guides", "/about-escort-babylon"] as const;
const SAMPLES = "These are sample ads, not real people.";

const NEW_YORK = {
  title: `${BRAND} - Listings in New York`,
  robots: "noindex,nofollow",
  heading: "Escorts in New York",
  breadcrumbs: [HOME, ["New York", "/state/New%20York"]],
  texts: [SAMPLES, "Browse sample escort profiles in 175 cities across New York", "Escorts in New York - 18+ only"],
} as const;

const EWA_BEACH = "/city/Hawaii/%E2%80%98Ewa%20Beach";
const LA_CANADA = "/city/California/La%20Ca%C3%B1ada%20Flintridge";

/** One path of every page pattern, and some alternative spellings. Articles are in ARTICLE_ROUTES. */
export const ROUTES: readonly Route[] = [
  {
    path: "/",
    title: `${BRAND} - Browse by State and City`,
    robots: null,
    heading: "Browse by state. Know what you’re reading.",
    texts: ["Sample testimonial", "Are these ads real?"],
  },
  { path: "/state/New%20York", ...NEW_YORK },
  { path: "/state/%4eew%20%59ork", canonical: "/state/New%20York", ...NEW_YORK },
  {
    path: "/city/New%20York/New%20York",
    title: `${BRAND} - Listings in New York, New York`,
    robots: "noindex",
    heading: "New York, New York",
    breadcrumbs: [HOME, ["New York", "/state/New%20York"], ["New York", "/city/New%20York/New%20York"]],
    texts: [SAMPLES, "Next Page →"],
  },
  {
    path: EWA_BEACH,
    title: `${BRAND} - Listings in ‘Ewa Beach, Hawaii`,
    robots: "noindex",
    heading: "‘Ewa Beach, Hawaii",
    breadcrumbs: [HOME, ["Hawaii", "/state/Hawaii"], ["‘Ewa Beach", EWA_BEACH]],
    texts: [SAMPLES, "Next Page →"],
  },
  {
    path: `${LA_CANADA}/ad/4251`,
    title: `Sample ad: Coffee and an unhurried conversation in La Cañada Flintridge, California - ${BRAND}`,
    robots: "noindex",
    heading: "Coffee and an unhurried conversation",
    breadcrumbs: [
      HOME,
      ["California", "/state/California"],
      ["La Cañada Flintridge", LA_CANADA],
      ["Coffee and an unhurried conversation", `${LA_CANADA}/ad/4251`],
    ],
    texts: ["Sample ad", "Age: 24", "Posted in La Cañada Flintridge, California", "Back to La Cañada Flintridge ads"],
  },
  {
    path: "/signup",
    title: `Sign up - ${BRAND}`,
    robots: "noindex",
    heading: "Create your account",
    texts: ["Your sign-up carries an affiliate tag", "through an affiliate link"],
  },
  {
    path: "/success",
    title: `Your account - ${BRAND}`,
    robots: "noindex",
    heading: "Your account",
  },
  {
    path: "/terms",
    title: `Terms of use - ${BRAND}`,
    robots: null,
    heading: "Terms of use",
    breadcrumbs: [HOME, ["Terms of use", "/terms"]],
    texts: ["13. Contact", "Text in force since"],
  },
  {
    path: "/privacy",
    title: `Privacy policy - ${BRAND}`,
    robots: "noindex",
    heading: "Privacy policy",
    breadcrumbs: [HOME, ["Privacy policy", "/privacy"]],
    texts: ["13. Contact", "Text in force since", "Our privacy commitment"],
  },
  {
    path: "/privacy/receipt",
    title: `What this site knows about you right now - ${BRAND}`,
    robots: "noindex",
    heading: "What this site knows about you right now",
    breadcrumbs: [
      HOME,
      ["Privacy policy", "/privacy"],
      ["What this site knows about you right now", "/privacy/receipt"],
    ],
    texts: [
      "That you sent the sign-up form:",
      "What this page can’t show",
      "request logs are kept for at most 30 days",
    ],
  },
  {
    path: "/about-escort-babylon",
    title: `Guides - ${BRAND}`,
    robots: null,
    heading: "Guides",
    breadcrumbs: [HOME, ABOUT],
    texts: ["Join Now"],
  },
];

/** The nine articles. */
export const ARTICLE_ROUTES: readonly Route[] = [
  ["what-is-escort-babylon", "What is Escort Babylon?"],
  ["platform-comparison", "How to compare platforms"],
  ["safety-guide", "Safety guide"],
  ["top-cities", "Top cities, and what the lists mean"],
  ["profile-tips", "Profile tips"],
  ["legal-guide", "Legal guide"],
  ["platform-evolution", "Platform evolution"],
  ["red-flags", "Red flags"],
  ["escort-experiences", "Escort experiences"],
].map(([slug = "", heading = ""]) => {
  const path = `/about-escort-babylon/${slug}`;
  return {
    path,
    title: `${heading} - ${BRAND}`,
    robots: null,
    heading,
    breadcrumbs: [HOME, ABOUT, [heading, path]],
    texts: ["All guides", "Sources"],
  };
});
