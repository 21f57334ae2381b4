import { classes } from "@colonnade/design";
import { useEffect, useRef, useState, type ReactElement } from "react";

import { cityPath } from "../../data/links";
import type { PositionOnMap } from "../../data/maps";
import { cityAt, type Dot, type Name } from "../../map/cityAt";
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

/** The dots of a map on the screen. */
function dotsOf(map: HTMLElement, positions: readonly PositionOnMap[]): readonly Dot[] {
  const screen = map.querySelector("svg")?.getScreenCTM();
  if (!screen) return [];
  const { a, d, e, f } = screen;
  return positions.map(({ city, x, y }) => ({ city, x: x * a + e, y: y * d + f }));
}

/** The names that a map shows. The box of a hidden one is empty. */
function namesOf(map: HTMLElement): readonly Name[] {
  return [...map.querySelectorAll("text")]
    .map((text) => ({ city: text.textContent, box: text.getBoundingClientRect() }))
    .filter(({ box }) => box.width > 0);
}

/** The style of a pin: its position on the map, and from there, the box of the name that the map shows. */
function styleOf(map: HTMLElement, at: Dot, box: Name["box"] | undefined): Readonly<Record<string, string>> {
  const { left, top } = map.getBoundingClientRect();
  const printed = box && {
    "--left": `${String(box.left - at.x)}px`,
    "--top": `${String(box.top - at.y)}px`,
    "--width": `${String(box.width)}px`,
    "--height": `${String(box.height)}px`,
  };
  return {
    "inset-inline-start": `${String(at.x - left)}px`,
    "inset-block-start": `${String(at.y - top)}px`,
    ...printed,
  };
}

/** The city that the pointer is at, or whose link in the page has the focus. */
function useMarked(positions: readonly PositionOnMap[], { state, map, first }: Props): string | undefined {
  const [marked, setMarked] = useState<string>();
  // It is marked again once the positions are there.
  const last = useRef<Event | undefined>(first);
  useEffect(() => {
    const listeners = new AbortController();
    const { signal } = listeners;
    const at = (event: MouseEvent): string | undefined => {
      const reach = event instanceof PointerEvent && event.pointerType !== "mouse" ? REACH.touch : REACH.mouse;
      return cityAt({ x: event.clientX, y: event.clientY }, dotsOf(map, positions), namesOf(map), reach);
    };
    const mark = (event: MouseEvent): void => {
      last.current = event;
      setMarked(at(event));
    };
    const focus = (event: Event): void => {
      last.current = event;
      const { target } = event;
      const path = target instanceof Element ? target.closest("a")?.getAttribute("href") : undefined;
      setMarked(positions.find(({ city }) => cityPath({ state, city }) === path)?.city);
    };
    if (last.current instanceof MouseEvent) mark(last.current);
    else if (last.current) focus(last.current);
    // A finger marks a city when it lifts: a link that appears below it would take its click.
    map.addEventListener(
      "click",
      (event) => {
        const link = map.querySelector("a");
        if (event.target instanceof Node && link?.contains(event.target)) return;
        const city = at(event);
        // A finger does not touch the link itself.
        if (city !== undefined && link?.getAttribute("href") === cityPath({ state, city })) link.click();
        else mark(event);
      },
      { signal },
    );
    map.addEventListener(
      "pointermove",
      (event) => {
        if (event.pointerType === "mouse") mark(event);
      },
      { signal },
    );
    map.addEventListener(
      "pointerleave",
      ({ pointerType }) => {
        // After a touch, the name stays until the next one.
        if (pointerType !== "mouse") return;
        last.current = undefined;
        setMarked(undefined);
      },
      { signal },
    );
    document.addEventListener("focusin", focus, { signal });
    return () => {
      listeners.abort();
    };
  }, [positions, state, map]);
  return marked;
}

/**
 * A link on the dot of the city that a visitor points at or has focused in a list, with its name or over the name that
 * the map shows. It adds no tab stop: the lists of the page link every city.
 */
export function CityPins(props: Props): ReactElement | null {
  const { state, cities, map } = props;
  const [positions, setPositions] = useState<readonly PositionOnMap[]>([]);
  useEffect(() => {
    let isCurrent = true;
    void import("../../data/lookup")
      .then(({ positionsOnMap }) => positionsOnMap(state, cities))
      .then(
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
  const at = dotsOf(map, positions).find(({ city }) => city === marked);
  if (!at) return null;
  const { left, width } = map.getBoundingClientRect();
  const box = namesOf(map).find(({ city }) => city === marked)?.box;
  const style = Object.entries(styleOf(map, at, box));
  return (
    <a
      // The policy permits no style attribute.
      ref={(element) => {
        for (const [name, value] of style) element?.style.setProperty(name, value);
      }}
      href={cityPath({ state, city: at.city })}
      rel="nofollow"
      tabIndex={-1}
      aria-hidden
      className={classes(css.pin, at.x > left + width / 2 && css.before)}
    >
      {box ? <span className={css.printed} /> : <span className={css.name}>{at.city}</span>}
    </a>
  );
}
