import { Link, useHydrated } from "@colonnade/kit";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type ReactElement } from "react";

import { cityPath, statePath } from "../../data/links";
import { STATES } from "../../data/states";
import { classes } from "../classes";
import { useDebounced } from "../filter/useDebounced";
import type { FoundPlaces } from "./findPlaces";
import css from "./PlaceSearch.module.css";
import { PlaceOptions, type PlaceGroup } from "./PlaceOptions";
import { usePlaceIndex } from "./usePlaceIndex";

/** Id of the field. It is the same in every document, so that the shell finds the field again. */
const ID = "place-search";
// Avoids announcements between keystrokes.
const DEBOUNCE_MS = 700;
const NARROW = "(max-width: 40em)";

const NOTHING: FoundPlaces = { states: [], cities: [], cityCount: 0, citiesFirst: false };

function groupsOf({ states, cities, citiesFirst }: FoundPlaces): readonly PlaceGroup[] {
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
  if (citiesFirst) groups.reverse();
  return groups.filter(({ places }) => places.length > 0);
}

/**
 * Search for a state or a city: a combobox whose options are links. The first option is active, so Enter opens it. Places
 * are loaded on first use. Invisible until hydration, removed without JavaScript.
 */
export function PlaceSearch(): ReactElement {
  const search = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const hydrated = useHydrated();
  const { find, state, load, retry } = usePlaceIndex();
  const [query, setQuery] = useState("");
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  // Enter was pressed before the cities were loaded.
  const [awaited, setAwaited] = useState(false);

  const typed = query.trim();
  const found = useMemo(() => find?.(typed) ?? NOTHING, [typed, find]);
  const groups = groupsOf(found);
  const count = groups.reduce((sum, { places }) => sum + places.length, 0);
  const isOpen = open && typed !== "";
  const optionId = (index: number): string => `${ID}-option-${String(index)}`;

  const isEmpty = count === 0 && state === "loaded";
  const status = !isOpen ? "" : isEmpty ? "No results" : state === "loading" ? "" : `${String(count)} results`;
  const announced = useDebounced(status, isEmpty ? 0 : DEBOUNCE_MS);

  const follow = (index: number): void => {
    // The shell handles clicks on links.
    document.getElementById(optionId(index))?.click();
  };
  const change = (value: string): void => {
    setQuery(value);
    setActive(0);
    setOpen(true);
    setAwaited(false);
    load();
  };
  const move = (step: number): void => {
    if (!isOpen) setOpen(true);
    else if (count > 0) {
      const next = (active + step + count) % count;
      setActive(next);
      document.getElementById(optionId(next))?.scrollIntoView({ block: "nearest" });
    }
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys that belong to an input method.
    if (event.nativeEvent.isComposing) return;
    switch (event.key) {
      case "ArrowDown":
        move(1);
        break;
      case "ArrowUp":
        move(-1);
        break;
      case "Enter":
        if (isOpen && count > 0) follow(active);
        else {
          setOpen(true);
          setAwaited(state !== "loaded");
        }
        break;
      case "Escape":
        if (isOpen) setOpen(false);
        else setQuery("");
        break;
      default:
        return;
    }
    event.preventDefault();
  };
  useEffect(() => {
    // Above the keyboard of a phone.
    if (isOpen) search.current?.scrollIntoView({ block: matchMedia(NARROW).matches ? "start" : "nearest" });
  }, [isOpen]);
  useEffect(() => {
    if (awaited && state === "loaded") document.getElementById(`${ID}-option-0`)?.click();
  }, [awaited, state]);

  return (
    <div
      ref={search}
      role="search"
      className={classes("field", css.search, !hydrated && css.inert)}
      onPointerEnter={load}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setOpen(false);
      }}
    >
      <label htmlFor={ID}>Find a city or state</label>
      <div className={css.box}>
        <svg viewBox="0 0 24 24" aria-hidden="true">
          <path d="M10.5 4a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13M15.5 15.5 20 20" />
        </svg>
        <input
          ref={input}
          id={ID}
          type="text"
          role="combobox"
          inputMode="search"
          enterKeyHint="go"
          autoComplete="off"
          autoCapitalize="words"
          autoCorrect="off"
          spellCheck={false}
          placeholder="Try “Austin” or “TX”"
          aria-autocomplete="list"
          aria-expanded={isOpen && count > 0}
          aria-controls={`${ID}-places`}
          aria-activedescendant={isOpen && count > 0 ? optionId(active) : undefined}
          value={query}
          onChange={(event) => {
            change(event.target.value);
          }}
          onFocus={load}
          onClick={() => {
            setOpen(true);
          }}
          onKeyDown={onKeyDown}
        />
        {isOpen && (
          <div className={css.popup}>
            {count > 0 && (
              <PlaceOptions
                id={`${ID}-places`}
                groups={groups}
                active={active}
                optionId={optionId}
                onActive={setActive}
              />
            )}
            {state === "loading" && <p>Loading cities…</p>}
            {state === "failed" && (
              <p role="alert">
                <span>
                  {find
                    ? "City search isn’t available right now. You can still search for a state."
                    : "Search isn’t available right now."}
                </span>{" "}
                <button
                  type="button"
                  className="button quiet"
                  onClick={() => {
                    input.current?.focus();
                    retry();
                  }}
                >
                  Try again
                </button>
              </p>
            )}
            {found.cityCount > found.cities.length && (
              <p>{`${String(found.cityCount - found.cities.length)} more. Keep typing.`}</p>
            )}
            {isEmpty && (
              <p>
                {/* In an element, so that it also changes on a page that the browser has translated. */}
                <span>
                  {found.unlisted ? `${found.unlisted} has no page here.` : `No state or city here matches “${typed}”.`}
                </span>{" "}
                <Link to="/#states">{`See all ${String(STATES.length)} states`}</Link>
              </p>
            )}
          </div>
        )}
      </div>
      <p role="status" className="visually-hidden">
        {announced}
      </p>
    </div>
  );
}
