/** The members that a page must have. */
export const PAGE_MEMBERS = ["data", "head", "Component"] as const;

/** The name of a member of a page whose position a problem can have. */
export type PageMember = (typeof PAGE_MEMBERS)[number] | "fallback" | "paths" | "queries" | "examples";
