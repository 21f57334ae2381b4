import type { ExtensionModule } from "./extension.js";
import type { AnyPage } from "./page.js";

/**
 * Version of the section contract that this kit implements. The gateway and the shell reject sections of other versions.
 * A later kit of the same contract runs every section of an earlier one, so each incompatible change needs a new version.
 */
export const CONTRACT = 1;

/** Exports of a page's module: `export const page = definePage({ … })`. */
export interface PageModule {
  /** The page. */
  readonly page: AnyPage;
}

/** A link that a section contributes to the navigation of the site. */
export interface NavigationEntry {
  /** List that shows it: the menu in the header, or the footer. */
  readonly to: "shell/menu" | "shell/footer";
  /** Text of the link: 1 to 64 characters. The site's operator can replace it. */
  readonly label: string;
  /** Path of a page of the section without params, or a path that `paths` of a page returns. It can have a fragment. */
  readonly path: string;
  /** Place in the list, an integer. A lower one comes first, then the section's name decides. Default: 0. */
  readonly order?: number;
}

/**
 * A micro-frontend: pages under its own paths, and extensions. It is the default export of the section's entry module.
 *
 * The build parses this object literal to map chunks to pages. `pages` and `extensions` must be object literals with values of
 * the form `() => import("./module")`, and `navigation` an array literal of object literals with strings and numbers.
 */
export interface Section {
  /** Unique name within the site: a lowercase letter, followed by up to 31 of `a-z`, `0-9` and `-`. */
  readonly name: string;
  /** Version of the section contract. */
  readonly contract: typeof CONTRACT;
  /**
   * Pages by path pattern. A pattern consists of static segments and `:param` segments and is case-sensitive. Static
   * segments take precedence over params, from left to right. Two sections of a site cannot have patterns of the same shape.
   */
  readonly pages: Readonly<Record<string, () => Promise<PageModule>>>;
  /** What the section contributes to extension points, by the point's ID with its version, such as `directory/city-aside@1`. */
  readonly extensions?: Readonly<Record<string, () => Promise<ExtensionModule>>>;
  /** Links that the section contributes to the menu and the footer, at most 32. They appear when it is deployed. */
  readonly navigation?: readonly NavigationEntry[];
}

/**
 * Declares a section. Returns its argument; the build looks for this call.
 *
 * @example
 * ```tsx
 * import { defineSection } from "@colonnade/kit";
 *
 * export default defineSection({
 *   name: "events",
 *   contract: 1,
 *   pages: { "/events": () => import("./pages/events") },
 *   navigation: [{ to: "shell/menu", label: "Events", path: "/events", order: 20 }],
 * });
 * ```
 */
export function defineSection(section: Section): Section {
  return section;
}
