import { useEffect, useMemo, useState, type KeyboardEvent } from "react";

import { cityPath, statePath } from "../../data/links";
import { useDebounced } from "../filter/useDebounced";
import type { FoundPlaces } from "./findPlaces";
import { optionId, type PlaceGroup } from "./PlaceOptions";
import { usePlaceIndex } from "./usePlaceIndex";

// Avoids announcements between keystrokes.
const DEBOUNCE_MS = 700;

const NOTHING: FoundPlaces = { states: [], cities: [], cityCount: 0, citiesFirst: false };

function groupsOf({ states, cities, citiesFirst, similar }: FoundPlaces): readonly PlaceGroup[] {
  const [firstState, firstCity] = citiesFirst ? [cities.length, 0] : [0, states.length];
  const groups: PlaceGroup[] = [
    {
      label: "States",
      places: states.map(({ name, code }, index) => ({
        index: firstState + index,
        path: statePath(name),
        name,
        detail: code,
      })),
    },
    {
      label: "Cities",
      places: cities.map((place, index) => ({
        index: firstCity + index,
        path: cityPath(place),
        name: place.city,
        detail: place.state,
      })),
    },
  ];
  if (similar) return [{ label: "Did you mean", places: groups.flatMap(({ places }) => places) }].filter(hasPlaces);
  if (citiesFirst) groups.reverse();
  return groups.filter(hasPlaces);
}

const hasPlaces = ({ places }: PlaceGroup): boolean => places.length > 0;

/** Opens the page of an option. The shell handles clicks on links, and returns the focus to the field. */
function follow(index: number): void {
  document.getElementById(optionId(index))?.click();
}

/** Finds the places that match what is typed. Places are loaded on first use. */
function useFoundPlaces(typed: string) {
  const index = usePlaceIndex();
  const { find } = index;
  const found = useMemo(() => find?.(typed) ?? NOTHING, [typed, find]);
  const groups = groupsOf(found);
  return { index, found, groups, count: groups.reduce((sum, { places }) => sum + places.length, 0) };
}

/** Finds what is typed, and handles the keys of a combobox. Without an active option, Enter opens the first one. */
export function usePlaceSearch() {
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState<number>();
  // Enter was pressed before the cities were loaded.
  const [awaited, setAwaited] = useState(false);

  const typed = query.trim();
  const { index, found, groups, count } = useFoundPlaces(typed);
  const { state } = index;
  const isOpen = open && typed !== "";
  const isEmpty = count === 0 && state === "loaded";
  const results = state === "loading" ? "" : `${String(count)} ${count === 1 ? "result" : "results"}`;
  const status = isEmpty ? "No results" : results;

  const move = (step: number): void => {
    if (!isOpen) setOpen(true);
    else if (count > 0) {
      const next = active === undefined ? (step > 0 ? 0 : count - 1) : (active + step + count) % count;
      setActive(next);
      document.getElementById(optionId(next))?.scrollIntoView({ block: "nearest" });
    }
  };
  const keys: Readonly<Partial<Record<string, () => void>>> = {
    ArrowDown() {
      move(1);
    },
    ArrowUp() {
      move(-1);
    },
    Enter() {
      if (isOpen && count > 0) follow(active ?? 0);
      else {
        setOpen(true);
        setAwaited(state !== "loaded");
      }
    },
    Escape() {
      if (isOpen) setOpen(false);
      else setQuery("");
    },
  };
  useEffect(() => {
    if (awaited && state === "loaded") follow(0);
  }, [awaited, state]);

  return {
    index,
    query,
    typed,
    /** Whether the popup is open. */
    isOpen,
    found,
    groups,
    /** The number of options. */
    count,
    /** Whether nothing matches. */
    isEmpty,
    /** Index of the active option, if there is one. */
    active,
    /** For screen readers. */
    announced: useDebounced(isOpen ? status : "", isEmpty ? 0 : DEBOUNCE_MS),
    setActive,
    setOpen,
    change: (value: string): void => {
      setQuery(value);
      setActive(undefined);
      setOpen(true);
      setAwaited(false);
      index.load();
    },
    onKeyDown: (event: KeyboardEvent): void => {
      const action = keys[event.key];
      // Keys that belong to an input method.
      if (!action || event.nativeEvent.isComposing) return;
      action();
      event.preventDefault();
    },
  };
}

/** The state of the search, and what changes it. */
export type PlaceSearchState = ReturnType<typeof usePlaceSearch>;
