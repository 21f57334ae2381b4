/** A section and a page of it to test. */
export interface TestedSection {
  readonly name: string;
  readonly pattern: string;
  readonly heading: string;
}

/** The sections of the site. */
export const SECTIONS: readonly TestedSection[] = [
  { name: "directory", pattern: "/", heading: "Browse by state. Know what you’re reading." },
  { name: "articles", pattern: "/about-escort-babylon", heading: "Guides" },
  { name: "legal", pattern: "/terms", heading: "Terms of use" },
  { name: "signup", pattern: "/signup", heading: "Create your account" },
];

/** The sections that each fault is tried on: all of them in soak runs, otherwise the one with the smallest release. */
export const FAULT_SECTIONS = process.env.SOAK ? SECTIONS : SECTIONS.filter(({ name }) => name === "legal");
