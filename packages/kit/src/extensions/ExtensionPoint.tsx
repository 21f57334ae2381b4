import { useExtensionPoints } from "@colonnade/kit";
import { createElement, type ReactElement, type ReactNode } from "react";

import type { DefinedExtensionPoint } from "./point.js";

/** Props of {@link ExtensionPoint}. */
export interface ExtensionPointProps {
  /** The point, which the page's `extensionPoints` opens. */
  readonly point: Pick<DefinedExtensionPoint<object>, "reference">;
  /** Shown if there is no extension. */
  readonly empty?: ReactNode;
}

/**
 * The place of an extension point on a page, which can have it once. Each extension in it is a React tree of its own: it
 * reads no context of the page.
 *
 * @throws Error outside the shell. In tests, render with `renderPage()` from `@colonnade/kit/testing`.
 *
 * @example
 * ```tsx
 * import { definePage } from "@colonnade/kit";
 * import { ExtensionPoint } from "@colonnade/kit/extensions";
 *
 * import { eventAside } from "./points";
 *
 * export const page = definePage({
 *   data: ({ params }) => ({ city: params.city ?? "" }),
 *   extensionPoints: [eventAside.at(({ data }) => ({ city: data.city }))],
 *   head: ({ data }) => ({ title: data.city, description: data.city, canonical: "/events" }),
 *   Component: ({ data }) => (
 *     <>
 *       <h1>{data.city}</h1>
 *       <ExtensionPoint point={eventAside} empty={<p>Nothing is planned.</p>} />
 *     </>
 *   ),
 * });
 * ```
 */
export function ExtensionPoint({ point, empty }: ExtensionPointProps): ReactElement {
  return createElement(useExtensionPoints(), { reference: point.reference, empty });
}
