/** How a page or extension is written whose module the entry module imports. */
export const IMPORT_FORM = '() => import("./module")';

/** How one is written that the entry module has itself, by the member of `defineSection`. */
export const OWN_FORMS = {
  pages: "async () => ({ page })",
  extensions: "async () => ({ extension })",
} as const;

/** How a link of the navigation is written. */
export const LINK_FORM = '{ to: "shell/menu", label: "…", path: "/…", order: 0 }';

/** A member of `defineSection` with modules. */
export type EntryMember = keyof typeof OWN_FORMS;

/** The members of `defineSection` with modules. */
export const ENTRY_MEMBERS = Object.keys(OWN_FORMS) as readonly EntryMember[];
