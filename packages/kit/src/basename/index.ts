/**
 * The place of an app with a router of its own. A section bundles what it uses of this.
 *
 * @module basename
 */
import { useLocation, useParams } from "@colonnade/kit";
import { useEffect, useRef } from "react";

/**
 * Returns the path of the current page without the rest that its pattern's `*` matches: the basename of an app with a router of
 * its own, such as React Router's `BrowserRouter`. The app is one page of the section, with the pattern
 * `/shop/*` for example, and `browserOnly`. The page stays mounted while the rest changes, and the app's router learns of
 * navigations of the shell by `popstate`.
 *
 * @throws Error in a page whose pattern does not end with `*`.
 *
 * @example
 * ```tsx
 * import { useBasename } from "@colonnade/kit/basename";
 * import type { ComponentType } from "react";
 *
 * export const mount = (App: ComponentType<{ basename: string }>) => () => <App basename={useBasename()} />;
 * ```
 */
export function useBasename(): string {
  const { "*": rest } = useParams();
  const { pathname, key } = useLocation();
  const entry = useRef(key);
  useEffect(() => {
    const state: unknown = history.state;
    if (entry.current !== key) dispatchEvent(new PopStateEvent("popstate", { state }));
    entry.current = key;
  }, [key]);
  if (rest === undefined) throw new Error('useBasename() needs a page whose pattern ends with "/*"');
  const segments = pathname.split("/").filter(Boolean);
  const count = rest.split("/").filter(Boolean).length;
  return `/${segments.slice(0, segments.length - count).join("/")}`;
}
