import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";

import { SUSPENDED_DIGEST } from "./digest.js";

/** HTML of a React tree. */
export interface RenderedHtml {
  readonly html: string;
  /** Whether a Suspense boundary still shows its fallback, because its content waits for something other than a module. */
  readonly isSuspended: boolean;
}

// The build adds this option.
type RenderWithErrors = (
  element: ReactNode,
  options: { readonly onError: (error: unknown) => string | undefined; readonly identifierPrefix: string },
) => string;

// React passes this text in place of an error for each boundary that still waits.
const SUSPENDED = 'The server used "renderToString"';
// Each pass can reach one more level of nested `lazy` components.
const MAX_PASSES = 10;
// A pass that only reaches a nested `lazy` component in the same boundary does not change the HTML.
const MAX_UNCHANGED = 2;
// More than enough for the promises of an `import()`: the modules are in the same bundle.
const TICKS = 50;

/**
 * Renders a tree to HTML. Waits for `lazy` components, and for promises that settle without waiting for anything outside.
 * Leaves the fallback of a Suspense boundary that waits for anything else. IDs that React makes begin with `identifierPrefix`.
 *
 * @throws what the tree threw first, also if it was inside a Suspense boundary.
 */
export async function renderToHtml(element: ReactNode, identifierPrefix = ""): Promise<RenderedHtml> {
  let rendered = renderOnce(element, identifierPrefix);
  let unchanged = 0;
  for (let pass = 1; rendered.isSuspended && pass < MAX_PASSES && unchanged < MAX_UNCHANGED; pass += 1) {
    for (let tick = 0; tick < TICKS; tick += 1) await Promise.resolve();
    const { html } = rendered;
    rendered = renderOnce(element, identifierPrefix);
    unchanged = rendered.html === html ? unchanged + 1 : 0;
  }
  return rendered;
}

function renderOnce(element: ReactNode, identifierPrefix: string): RenderedHtml {
  const thrown: unknown[] = [];
  let isSuspended = false;
  const onError = (error: unknown): string | undefined => {
    if (typeof error === "string" && error.startsWith(SUSPENDED)) {
      isSuspended = true;
      return SUSPENDED_DIGEST;
    }
    thrown.push(error);
    return undefined;
  };
  let html = "";
  try {
    html = (renderToString as RenderWithErrors)(element, { onError, identifierPrefix });
  } catch (error) {
    thrown.push(error);
  }
  if (thrown.length > 0) throw thrown[0];
  return { html, isSuspended };
}
