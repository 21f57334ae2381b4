import { useExtensions } from "@colonnade/kit";
import type { ReactElement, ReactNode } from "react";

import type { DefinedExtensionPoint } from "./point.js";

/** Props of {@link ExtensionPoint}. */
export interface ExtensionPointProps<Props extends object> {
  /** The point, which the page's `extensionPoints` lists. */
  readonly point: DefinedExtensionPoint<Props>;
  /** What its extensions get. Must be serializable to JSON; members that are undefined are left out. */
  readonly props: NoInfer<Props>;
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
 *   extensionPoints: [eventAside],
 *   data: ({ params }) => ({ city: params.city ?? "" }),
 *   head: ({ data }) => ({ title: data.city, description: data.city, canonical: "/events" }),
 *   Component: ({ data }) => (
 *     <>
 *       <h1>{data.city}</h1>
 *       <ExtensionPoint point={eventAside} props={{ city: data.city }} empty={<p>Nothing is planned.</p>} />
 *     </>
 *   ),
 * });
 * ```
 */
export function ExtensionPoint<Props extends object>({
  point: { reference },
  props,
  empty,
}: ExtensionPointProps<Props>): ReactElement {
  const { ExtensionPlace } = useExtensions();
  return <ExtensionPlace key={reference} reference={reference} props={props} empty={empty} />;
}
