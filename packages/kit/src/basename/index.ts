/**
 * The place of an app with a router of its own. A section bundles what it uses of this.
 *
 * @module basename
 */
import { useLocation, useParams } from "@colonnade/kit";
import { use, useEffect, useLayoutEffect, useRef } from "react";

// That of the mounted page.
let current: string | undefined;
// That of the last page that the visitor opened.
let opened: string | undefined;
let returning: Promise<void> | undefined;

function isOutside(basename: string): boolean {
  return !`${location.pathname}/`.startsWith(`${basename}/`);
}

// The listeners of apps come later, those of the shell are earlier. The app stays until the next page is loaded, and would show
// that it has no such path.
if (typeof window !== "undefined")
  addEventListener("popstate", (event) => {
    if (current !== undefined && isOutside(current)) event.stopImmediatePropagation();
  });

/** Suspends a page that the visitor left before it was mounted, until Back or Forward: the fallback stays. */
function useOpenPage(basename: string): void {
  if (typeof window === "undefined" || current === basename) return;
  if (!isOutside(basename)) opened = basename;
  else if (opened === basename) {
    returning ??= new Promise((resolve) => {
      const onPopState = (): void => {
        returning = undefined;
        resolve();
      };
      addEventListener("popstate", onPopState, { once: true });
    });
    use(returning);
  }
}

/**
 * Returns the path of the current page without the rest that its pattern's `*` matches: the basename of an app with a router of
 * its own, such as React Router's `BrowserRouter`. The app is one page of the section, with the pattern
 * `/shop/*` for example, and `browserOnly`. The page stays mounted while the rest changes, and the app's router learns of
 * navigations of the shell by `popstate`. It does not learn that the visitor leaves the page.
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
  const segments = pathname.split("/").filter(Boolean);
  const count = rest?.split("/").filter(Boolean).length ?? 0;
  const basename = `/${segments.slice(0, segments.length - count).join("/")}`;
  useLayoutEffect(() => {
    current = basename;
    return () => {
      current = undefined;
    };
  }, [basename]);
  useEffect(() => {
    const state: unknown = history.state;
    if (entry.current !== key) dispatchEvent(new PopStateEvent("popstate", { state }));
    entry.current = key;
  }, [key]);
  useOpenPage(basename);
  if (rest === undefined) throw new Error('useBasename() needs a page whose pattern ends with "/*"');
  return basename;
}
