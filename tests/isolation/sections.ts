/** A section with a page to try, and how a visitor gets there from any other page. */
export interface TriedSection {
  readonly name: string;
  readonly pattern: string;
  readonly heading: string;
}

/** The sections of the site. */
export const SECTIONS: readonly TriedSection[] = [
  { name: "directory", pattern: "/", heading: "Browse by state. Know what you are reading." },
  { name: "articles", pattern: "/about-escort-babylon", heading: "About Colonnade Directory" },
  { name: "legal", pattern: "/terms", heading: "Terms of use" },
  { name: "signup", pattern: "/signup", heading: "Create your account" },
];
