import { useEffect, useState, type ReactElement, type ReactNode } from "react";

import type { CityPins } from "./CityPins";
import css from "./StateLocator.module.css";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  /** The image. */
  readonly children: ReactNode;
}

/** A map whose dots are links. What finds a dot is loaded when a visitor points at the map or focuses a city. */
export function PointedMap({ state, cities, children }: Props): ReactElement {
  const [map, setMap] = useState<HTMLElement | null>(null);
  const [loaded, setLoaded] = useState<{ readonly Pins: typeof CityPins; readonly first: Event }>();
  useEffect(() => {
    const listeners = new AbortController();
    const load = (first: Event): void => {
      listeners.abort();
      import("./CityPins").then(
        (module) => {
          setLoaded({ Pins: module.CityPins, first });
        },
        // The lists have every city.
        () => undefined,
      );
    };
    map?.addEventListener("click", load, { signal: listeners.signal });
    map?.addEventListener(
      "pointerenter",
      (event) => {
        // A finger names a city when it lifts.
        if (event.pointerType === "mouse") load(event);
      },
      { signal: listeners.signal },
    );
    document.addEventListener(
      "focusin",
      (event) => {
        if (event.target instanceof Element && event.target.matches('a[href^="/city/"]')) load(event);
      },
      { signal: listeners.signal },
    );
    return () => {
      listeners.abort();
    };
  }, [map]);
  return (
    <div ref={setMap} className={css.image}>
      {children}
      {loaded && map && <loaded.Pins state={state} cities={cities} map={map} first={loaded.first} />}
    </div>
  );
}
