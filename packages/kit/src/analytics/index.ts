/**
 * What a site's own analytics needs. A section or a shell bundles what it uses of this.
 *
 * @module analytics
 */
import { useLocation, usePage } from "@colonnade/kit";
import { useEffect, useRef } from "react";

/** A view of a page, without what identifies its visitor or its content. */
export interface PageView {
  /** The page's pattern, such as `/events/:id`. Null if there is no page at the URL. */
  readonly pattern: string | null;
  /** The values of the query parameters that the page declares, by name. */
  readonly search: Readonly<Record<string, unknown>>;
}

/**
 * Calls `report` once for each view of a page: when it is first shown, after a navigation, and after Back and Forward, but not for
 * another fragment, an undeclared query parameter or what the `*` of a pattern matches, nor on the server. Call it in the frame of a
 * shell for all pages, or in the component of a page for this one.
 *
 * @example
 * ```tsx
 * import { usePageView } from "@colonnade/kit/analytics";
 *
 * export function Analytics() {
 *   usePageView(({ pattern }) => navigator.sendBeacon("/api/analytics/views", new URLSearchParams({ page: pattern ?? "none" })));
 *   return null;
 * }
 * ```
 */
export function usePageView(report: (view: PageView) => void): void {
  const { pattern, params, search } = usePage();
  const { pathname } = useLocation();
  const reported = useRef<string>(undefined);
  // An app with a router of its own is one page, whatever the rest of the path.
  const view = JSON.stringify([pattern ?? pathname, { ...params, "*": "" }, search]);
  useEffect(() => {
    // React runs effects twice in strict mode, and the frame has no page while the first one loads.
    if (pattern === undefined || reported.current === view) return;
    reported.current = view;
    report({ pattern, search: { ...search } });
  });
}
