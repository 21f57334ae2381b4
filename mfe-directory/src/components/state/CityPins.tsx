import { classes } from "@colonnade/design";
import { Link } from "@colonnade/kit";
import { useEffect, useState, type ReactElement } from "react";

import { cityPath } from "../../data/links";
import { positionsOnMap, type PositionOnMap } from "../../data/maps";
import css from "./CityPins.module.css";

interface Props {
  readonly state: string;
  readonly cities: readonly string[];
  /** The element around the image. */
  readonly map: HTMLElement;
  /** The first event of a pointer or of the focus, for which this was loaded. */
  readonly first: Event;
}

/** How far from a dot a pointer may be, in pixels of the screen. A finger hides what it touches. */
const REACH = { mouse: 24, touch: 64 };

/** The transformation from the map to the screen. */
function screenOf(map: HTMLElement): DOMMatrix | null {
  return map.querySelector("svg")?.getScreenCTM() ?? null;
}

/** The city that is nearest to a pointer and in its reach. */
function nearest(
  positions: readonly PositionOnMap[],
  map: HTMLElement,
  event: PointerEvent,
): PositionOnMap | undefined {
  const screen = screenOf(map);
  if (!screen) return undefined;
  const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(screen.inverse());
  const distanceTo = (position: PositionOnMap): number => Math.hypot(position.x - x, position.y - y);
  const [first] = positions.toSorted((one, other) => distanceTo(one) - distanceTo(other));
  const reach = event.pointerType === "touch" ? REACH.touch : REACH.mouse;
  return first && distanceTo(first) * screen.a <= reach ? first : undefined;
}

/** The city that the pointer is at, or whose link in the page has the focus. */
function useMarked(positions: readonly PositionOnMap[], { state, map, first }: Props): PositionOnMap | undefined {
  const [marked, setMarked] = useState<PositionOnMap>();
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const point = (event: PointerEvent): void => {
      setMarked(nearest(positions, map, event));
    };
    const focus = ({ target }: Event): void => {
      const path = target instanceof Element ? target.closest("a")?.getAttribute("href") : undefined;
      setMarked(positions.find(({ city }) => cityPath({ state, city }) === path));
    };
    if (first instanceof PointerEvent) point(first);
    else focus(first);
    map.addEventListener("pointermove", point, { signal });
    map.addEventListener("pointerdown", point, { signal });
    map.addEventListener(
      "pointerleave",
      ({ pointerType }) => {
        // After a touch, the name stays until the next one.
        if (pointerType !== "touch") setMarked(undefined);
      },
      { signal },
    );
    document.addEventListener("focusin", focus, { signal });
    return () => {
      listeners.abort();
    };
  }, [positions, state, map, first]);
  return marked;
}

/**
 * The name of the city that a visitor points at or has focused in a list, as a link on its dot. It adds no tab stop: the
 * lists of the page link every city.
 */
export function CityPins(props: Props): ReactElement | null {
  const { state, cities, map } = props;
  const [positions, setPositions] = useState<readonly PositionOnMap[]>([]);
  useEffect(() => {
    let isCurrent = true;
    void positionsOnMap(state, cities).then(
      (found) => {
        if (isCurrent) setPositions(found);
      },
      // The lists have every city.
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [state, cities]);
  const marked = useMarked(positions, props);
  const screen = marked && screenOf(map);
  if (!screen) return null;
  const at = new DOMPoint(marked.x, marked.y).matrixTransform(screen);
  const { left, top, width } = map.getBoundingClientRect();
  const x = at.x - left;
  return (
    <Link
      to={cityPath({ state, city: marked.city })}
      rel="nofollow"
      tabIndex={-1}
      aria-hidden
      className={classes(css.pin, x > width / 2 && css.before)}
      style={{ insetInlineStart: x, insetBlockStart: at.y - top }}
    >
      <span>{marked.city}</span>
    </Link>
  );
}
