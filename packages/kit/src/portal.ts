import { useContext, useInsertionEffect, useMemo } from "react";

import { outsideShell, SectionContext } from "./context.js";
import { useHydrated } from "./hydrated.js";
import { scopeClass } from "./scope.js";

function createContainer(section: string): HTMLElement {
  const container = document.createElement("div");
  container.className = scopeClass(section);
  // The section's rules for `body` match the class. They would give an empty container a height.
  container.style.display = "contents";
  return container;
}

/**
 * Returns an element at the end of `body` for the dialogs, menus and popovers of UI libraries. The
 * section's plain stylesheets apply to its content, as in the page. Of the rules for `body` and
 * `:root`, only inherited properties have an effect, because the element has no box
 * (`display: contents`). The content is outside of the page's overflow, transforms and stacking
 * contexts; give it a `z-index` of more than 30, which is the highest one of the shell. The element
 * is removed with the component. Null on the server and during hydration.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from
 * `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { usePortalContainer } from "@colonnade/kit";
 * import { createPortal } from "react-dom";
 *
 * export function Popover() {
 *   const container = usePortalContainer();
 *   return container && createPortal(<p role="tooltip">Places are free.</p>, container);
 * }
 * ```
 */
export function usePortalContainer(): HTMLElement | null {
  const section = useContext(SectionContext);
  const hydrated = useHydrated();
  if (hydrated && section === null) throw outsideShell("usePortalContainer");
  const container = useMemo(
    () => (hydrated && section !== null ? createContainer(section) : null),
    [hydrated, section],
  );
  // Before the effects of what is rendered into the container, which may set the focus.
  useInsertionEffect(() => {
    if (!container) return undefined;
    // A form named "body" hides `document.body`.
    document.querySelector("body")?.append(container);
    return () => {
      container.remove();
    };
  }, [container]);
  return container;
}
