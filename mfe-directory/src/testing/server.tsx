import { inShell } from "@colonnade/kit/testing";
import { render, type RenderResult } from "@testing-library/react";
import type { ReactElement } from "react";
import { renderToString } from "react-dom/server";

/** Renders a component on the server. Parsed with scripting disabled, so `noscript` contents are elements. */
export function renderOnServer(component: ReactElement): HTMLElement {
  const html = `<div>${renderToString(inShell(component))}</div>`;
  const host = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  if (!(host instanceof HTMLElement)) throw new Error("the server rendered no element");
  return host;
}

/** Hydrates a server-rendered component and collects hydration errors. */
export function hydrate(component: ReactElement): RenderResult & { readonly hydrationErrors: readonly unknown[] } {
  const container = document.body.appendChild(document.importNode(renderOnServer(component), true));
  // With scripting enabled, noscript contents are text.
  for (const element of container.querySelectorAll("noscript")) element.textContent = element.outerHTML;
  const hydrationErrors: unknown[] = [];
  const view = render(inShell(component), {
    container,
    hydrate: true,
    onRecoverableError: (error) => {
      hydrationErrors.push(error);
    },
  });
  return { ...view, hydrationErrors };
}
