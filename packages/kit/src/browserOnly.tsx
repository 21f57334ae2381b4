import { Suspense, useDeferredValue, type FunctionComponent, type ReactElement } from "react";

import { useHydrated } from "./hydrated.js";

/**
 * Returns a component that shows `Fallback` on the server and until the page is hydrated, and then `Component`. A page that the
 * browser renders shows `Component` at once. `Fallback` also stays while `Component` suspends.
 */
export function browserOnly<Props extends object>(
  Component: FunctionComponent<Props>,
  Fallback: FunctionComponent<Props>,
): FunctionComponent<Props> {
  return function BrowserOnly(props: Props): ReactElement {
    // Deferred: an update that is urgent would replace the server's HTML by an equal one while the component suspends.
    const isShown = useDeferredValue(useHydrated());
    const fallback = <Fallback {...props} />;
    return <Suspense fallback={fallback}>{isShown ? <Component {...props} /> : fallback}</Suspense>;
  };
}
