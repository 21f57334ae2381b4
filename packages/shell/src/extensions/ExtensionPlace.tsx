import { ExtensionPlaceElement, ShellContext, type ExtensionPlaceProps } from "@colonnade/kit/shell";
import { useContext, useEffect, useRef, type ReactElement } from "react";
import { UNSAFE_LocationContext, UNSAFE_NavigationContext } from "react-router-dom";

import type { PlaceValues, ShownExtensions } from "./extensionRoots.js";
import { ExtensionsContext } from "./extensionsContext.js";

/**
 * The place of an extension point in the browser. Each extension in it is a React root of its own, outside of this tree: whatever
 * the page does before the extension's code is there, the server's HTML and what the visitor does with it stay.
 */
export function ExtensionPlace({ reference, props, empty }: ExtensionPlaceProps): ReactElement {
  const all = useContext(ExtensionsContext);
  const extensions = all && Object.hasOwn(all, reference) ? all[reference] : undefined;
  const services = useContext(ShellContext);
  const navigation = useContext(UNSAFE_NavigationContext);
  const location = useContext(UNSAFE_LocationContext);
  // A page may create them anew with each render.
  const json = JSON.stringify(props);
  const place = useRef<HTMLDivElement>(null);
  const values = useRef<PlaceValues>(null);
  const shown = useRef<ShownExtensions>(null);
  useEffect(() => {
    values.current = services && { services, navigation, location, props: JSON.parse(json) as object };
    if (values.current) shown.current?.update(values.current);
  }, [services, navigation, location, json]);
  useEffect(() => {
    const [element, first] = [place.current, values.current];
    if (!extensions || !element || !first) return undefined;
    let isLeft = false;
    // After the first view, which does not wait for extensions.
    import("./extensionRoots.js").then(
      ({ showExtensions }) => {
        if (isLeft) return;
        shown.current = showExtensions({ place: element, reference, values: first }, extensions);
        if (values.current) shown.current.update(values.current);
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
