import { isMarked, mark } from "./marker.js";

// A registered symbol: values from another copy of the kit are recognized too.
const NOT_FOUND = Symbol.for("colonnade.notFound");

/** Returned by a page's `data` if the params identify nothing. The gateway responds with 404 and the not-found page. */
export interface NotFound {
  /** Heading of the not-found page, such as 'State not found'. */
  readonly heading: string;
  /** Why there is nothing, in place of the shell's words. */
  readonly text?: string;
  /** A way on, such as to the list of states. `path` is of this site. */
  readonly link?: { readonly label: string; readonly path: string };
}

/**
 * Creates the value that a page's `data` returns if the params identify nothing. `wayOn` helps the visitor to go on.
 *
 * @example
 * ```tsx
 * import { notFound } from "@colonnade/kit";
 *
 * const TITLES: Readonly<Record<string, string>> = { jazz: "Jazz" };
 *
 * export const data = ({ params }: { params: { id?: string } }) =>
 *   TITLES[params.id ?? ""] ?? notFound("Event not found", {
 *   link: { label: "All events", path: "/events" },
 * });
 * ```
 */
export function notFound(heading = "Page not found", wayOn: Omit<NotFound, "heading"> = {}): NotFound {
  return mark({ heading, ...wayOn }, NOT_FOUND);
}

/**
 * Returns whether the value was created by {@link notFound}, such as the result of a page's `data` in a test.
 *
 * @example
 * ```tsx
 * import { isNotFound } from "@colonnade/kit";
 *
 * export const headingOf = (data: unknown) => (isNotFound(data) ? data.heading : undefined);
 * ```
 */
export function isNotFound(value: unknown): value is NotFound {
  return isMarked(value, NOT_FOUND);
}
