import type { AnyPage } from "./page.js";
import type { Slot } from "./slot.js";

/** The version of the section contract this kit describes. The shell refuses a section of another one. */
export const CONTRACT = 1;

/** What a page's module exports: `export const page = definePage({ … })`. */
export interface PageModule {
  /** The page. */
  readonly page: AnyPage;
}

/** What a slot's module exports: `export const slot = defineSlot({ … })`. */
export interface SlotModule {
  /** What fills the slot. */
  readonly slot: Slot;
}

/**
 * A micro-frontend: pages and slots under paths of its own. It is the default export of the section's
 * entry module.
 *
 * The build reads this literal to learn which chunks belong to which page, so `pages` and `slots` are
 * object literals whose values have the form `() => import("./module")`.
 */
export interface Section {
  /** Name of the section, unique in a site: a lower-case letter, then at most 31 of `a-z`, `0-9`, `-`. */
  readonly name: string;
  /** Contract version the section was written for. */
  readonly contract: typeof CONTRACT;
  /**
   * Pages by path pattern. A pattern has static segments and `:param` segments only and is
   * case-sensitive; static beats param, left to right. No other section may claim an equal shape.
   */
  readonly pages: Readonly<Record<string, () => Promise<PageModule>>>;
  /** What the section puts into the shell's named places. One section per slot in a site. */
  readonly slots?: Readonly<Record<string, () => Promise<SlotModule>>>;
}

/** Declares a section. Returns its argument; it exists for the types and for the build to find. */
export function defineSection(section: Section): Section {
  return section;
}
