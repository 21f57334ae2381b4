import { useExtensions } from "@colonnade/kit";
import { ExtensionPlaceElement, type ExtensionPlaceProps } from "@colonnade/kit/shell";
import { useContext, useEffect, useEffectEvent, useLayoutEffect, useRef, type ReactElement } from "react";

import { showExtensions, type ShownExtensions } from "./showExtensions.js";
import { ViewExtensions } from "./viewExtensions.js";

/**
 * Each extension is a React root of its own, outside of this tree: whatever the page does before the extension's code is there,
 * the server's HTML and what the visitor does with it stay.
 */
export function BrowserPlace({ reference, props, empty }: ExtensionPlaceProps): ReactElement {
  const services = useExtensions();
  const { extensions, isServerRendered } = useContext(ViewExtensions);
  const place = useRef<HTMLDivElement>(null);
  const shown = useRef<ShownExtensions>(undefined);
  const show = useEffectEvent((element: HTMLElement) => {
    const list = extensions[reference];
    return list && showExtensions({ element, reference, props, services, extensions: list, isServerRendered });
  });
  // React also cleans layout effects up while it hides the place, in a Suspense boundary that suspends again. A place that goes
  // while it is hidden has only the other cleanup.
  const leave = (): void => {
    shown.current?.leave();
  };
  // Before Back restores the scroll position.
  useLayoutEffect(() => {
    shown.current ??= place.current ? show(place.current) : undefined;
    return leave;
  }, []);
  useEffect(() => leave, []);
  useEffect(() => {
    shown.current?.update(props, isServerRendered);
  });
  return <ExtensionPlaceElement reference={reference} empty={empty} ref={place} />;
}
