import { ExtensionPlaceElement, ShellContext, type ExtensionPlaceProps } from "@colonnade/kit/shell";
import { useContext, useEffect, useRef, type ReactElement } from "react";
import { UNSAFE_LocationContext, UNSAFE_NavigationContext } from "react-router-dom";

import type { ShownExtensions } from "./extensionRoots.js";
import { OpenPointsContext } from "./openPoints.js";

function own<Value>(values: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return values && Object.hasOwn(values, name) ? values[name] : undefined;
}

/**
 * The place of an extension point in the browser. Each extension in it is a React root of its own, outside of this tree: whatever
 * the page does before the extension's code is there, the server's HTML and what the visitor does with it stay.
 */
export function ExtensionPlace({ reference, empty }: ExtensionPlaceProps): ReactElement {
  const points = useContext(OpenPointsContext);
  const [extensions, props] = [own(points.extensions, reference), own(points.props, reference)];
  const services = useContext(ShellContext);
  const navigation = useContext(UNSAFE_NavigationContext);
  const location = useContext(UNSAFE_LocationContext);
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef<Parameters<ShownExtensions["update"]>[0]>(null);
  const shown = useRef<ShownExtensions>(null);
  useEffect(() => {
    latest.current = services && props ? { services, navigation, location, props } : null;
    shown.current?.update(latest.current);
  });
  useEffect(() => {
    const element = place.current;
    if (!extensions || !element) return undefined;
    let isLeft = false;
    // After the first view, which does not wait for extensions.
    import("./extensionRoots.js").then(
      ({ showExtensions }) => {
        if (!isLeft) shown.current = showExtensions(element, reference, extensions, latest.current);
      },
      (error: unknown) => {
        console.warn("[shell] the extensions are not hydrated:", error);
      },
    );
    return () => {
      isLeft = true;
      shown.current?.remove();
      shown.current = null;
    };
  }, [extensions, reference]);
  return <ExtensionPlaceElement reference={reference} empty={empty} ref={place} />;
}
