import { useExtensions } from "@colonnade/kit";
import {
  createElement,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  type ReactElement,
  type ReactNode,
} from "react";

import type { ShownExtensions } from "../context.js";
import { ExtensionPlaceElement, type ExtensionPlaceProps } from "../extensionPlace.js";

import type { DefinedExtensionPoint } from "./point.js";

/** Props of {@link ExtensionPoint}. */
export interface ExtensionPointProps<Props extends object> {
  /** The point, which the page's `extensionPoints` lists. */
  readonly point: DefinedExtensionPoint<Props>;
  /** What its extensions get. Must be serializable to JSON. */
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
  return createElement(useExtensions().ExtensionPlace ?? BrowserPlace, { reference, props, empty });
}

/** The heights of places that were left, in pixels, by reference. */
const heights = new Map<string, number>();

/**
 * Each extension is a React root of its own, outside of this tree: whatever the page does before the extension's code is there,
 * the server's HTML and what the visitor does with it stay.
 */
function BrowserPlace({ reference, props, empty }: ExtensionPlaceProps): ReactElement {
  const services = useExtensions();
  // A page may create them anew with each render.
  const json = JSON.stringify(props);
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<ShownExtensions>(null);
  const show = useEffectEvent((element: Element) => services.showExtensions?.({ element, reference, props, services }));
  // Back restores the scroll position before the extensions are there: until then the place is as high as the last one, and
  // the browser does not adjust the position to what appears above it.
  useLayoutEffect(() => {
    const element = place.current;
    if (element?.childElementCount === 0 && services.showExtensions) {
      element.toggleAttribute("data-pending", true);
      element.style.minBlockSize = `${String(heights.get(reference) ?? 0)}px`;
    }
    return () => {
      if (element) heights.set(reference, element.offsetHeight);
    };
  }, [reference, services]);
  useEffect(() => {
    shown.current?.update(JSON.parse(json) as object);
  }, [json]);
  useEffect(() => {
    const extensions = place.current && show(place.current);
    shown.current = extensions ?? null;
    return () => {
      extensions?.remove();
      shown.current = null;
    };
  }, [reference]);
  return <ExtensionPlaceElement reference={reference} empty={empty} ref={place} />;
}
