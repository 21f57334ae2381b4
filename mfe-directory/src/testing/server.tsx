import { inShell } from "@colonnade/kit/testing";
import { render, type RenderResult } from "@testing-library/react";
import type { ReactElement } from "react";
import { renderToString } from "react-dom/server";

/** What the server sends for a component, as elements. Parsed without script, so what `noscript` holds is there. */
export function fromServer(component: ReactElement): HTMLElement {
  const html = `<div>${renderToString(inShell(component))}</div>`;
  const host = new DOMParser().parseFromString(html, "text/html").body.firstElementChild;
  if (!(host instanceof HTMLElement)) throw new Error("the server sent nothing");
  return host;
}

/** A component hydrated over what the server sends, and what React found to differ. */
export function hydrated(component: ReactElement): RenderResult & { readonly problems: readonly unknown[] } {
  const container = document.body.appendChild(document.importNode(fromServer(component), true));
  // A browser with script takes what noscript holds as text.
  for (const element of container.querySelectorAll("noscript")) element.textContent = element.outerHTML;
  const problems: unknown[] = [];
  const view = render(inShell(component), {
    container,
    hydrate: true,
    onRecoverableError: (error) => {
      problems.push(error);
    },
  });
  return { ...view, problems };
}
