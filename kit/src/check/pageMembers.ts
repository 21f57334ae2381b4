/** The members that a page must have. */
export const PAGE_MEMBERS = ["data", "head", "Component"] as const;

/** The name of a member that a page must have. */
export type PageMember = (typeof PAGE_MEMBERS)[number];
